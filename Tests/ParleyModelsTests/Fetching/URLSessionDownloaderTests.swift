// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import Synchronization
import Testing

@Suite("URLSessionDownloader")
struct URLSessionDownloaderTests {
    private func download(from server: LocalServer, timeout: Duration = .seconds(30)) async throws -> String {
        let received = Mutex(Data())
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/file"))
        try await URLSessionDownloader().download(url, connectTimeout: timeout) { piece in
            received.withLock { $0.append(piece) }
        }
        return String(decoding: received.withLock { $0 }, as: UTF8.self)
    }

    @Test("a file comes whole")
    func wholeFile() async throws {
        let server = try LocalServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try await download(from: server) == "hello")
    }

    @Test("a status other than 200 is an error that names it", arguments: ["404 Not Found", "503 Unavailable"])
    func badStatus(status: String) async throws {
        let server = try LocalServer(answer: "HTTP/1.1 \(status)\r\nContent-Length: 4\r\n\r\noops")
        let error = await #expect(throws: ModelStoreError.self) { try await download(from: server) }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains(status.prefix(3)) == true)
    }

    @Test("a transfer that breaks off is an error")
    func brokenTransfer() async throws {
        let server = try LocalServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello")
        let error = await #expect(throws: ModelStoreError.self) { try await download(from: server) }
        #expect(error?.code == .unreachable)
    }

    @Test("a server that accepts but does not answer is given up after the time to connect")
    func silentServer() async throws {
        let server = try LocalServer(answer: nil)
        let error = await #expect(throws: ModelStoreError.self) {
            try await download(from: server, timeout: .milliseconds(50))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message == "127.0.0.1 did not answer in time.")
    }

    @Test("cancelling the task ends the download")
    func cancellation() async throws {
        let server = try LocalServer(answer: nil)
        let task = Task { try await download(from: server) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("an error thrown while receiving ends the download and is thrown on")
    func failingReceiver() async throws {
        let server = try LocalServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/file"))
        let error = await #expect(throws: ModelStoreError.self) {
            try await URLSessionDownloader().download(url, connectTimeout: .seconds(30)) { _ in
                throw ModelStoreError(code: .diskFull, message: "full")
            }
        }
        #expect(error?.code == .diskFull)
    }
}
