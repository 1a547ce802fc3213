// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyServer
import ParleyTesting
import Testing

@Suite("Where a server cannot listen", .serialized)
struct ListeningFailureTests {
    private static func failure(_ address: ServerConfiguration.Address) async -> String? {
        let server = APIServer(
            ServerConfiguration(address: address, version: "0"),
            models: ModelPool([]) { _, _ in throw CancellationError() })
        let error = await #expect(throws: ServerError.self) { try await server.run() }
        return error?.description
    }

    @Test("A port in use is told with what to do.")
    func port() async throws {
        let (port, message) = try await ServerTrial.with(ScriptedRunner(replies: [])) { trial in
            (trial.port, await Self.failure(.internet(host: "127.0.0.1", port: trial.port)))
        }
        #expect(message == "Port \(port) is in use. Take another with --port, or end the other server.")
    }

    @Test("A folder that is not there, and a file in the place of a socket.")
    func socket() async throws {
        // The paths of sockets are short.
        let folder = URL(filePath: "/tmp/parley-\(UUID().uuidString.prefix(8))")
        #expect(
            await Self.failure(.socket(path: "\(folder.path)/sock")) == "The folder \(folder.path) does not exist.")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "f.txt")
        try Data("a".utf8).write(to: file)
        #expect(await Self.failure(.socket(path: file.path)) == "\(file.path) is a file, not a socket.")
        #expect(try Data(contentsOf: file) == Data("a".utf8))
    }
}
