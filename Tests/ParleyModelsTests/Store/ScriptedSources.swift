// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleySystem
import Synchronization

/// A client with scripted behaviour.
final class ScriptedClient: HTTPClient {
    enum Script: Sendable {
        case fails
        case sends(Data)
        case stalls(after: Data)
    }

    private let script: Script
    private let count = Mutex(0)
    private let stalled = AsyncStream<Void>.makeStream()

    init(_ script: Script) {
        self.script = script
    }

    var calls: Int { count.withLock { $0 } }

    func hasStalled() async {
        for await _ in stalled.stream { return }
    }

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        count.withLock { $0 += 1 }
        switch script {
        case .fails:
            throw HTTPError(.unreachable, "\(request.url.host() ?? "") is down.")
        case .sends(let data):
            return try await use(
                HTTPResponse(
                    status: 200, headers: ["Content-Length": "\(data.count)"],
                    body: HTTPBody([data.prefix(data.count / 2), data.suffix(data.count - data.count / 2)])))
        case .stalls(let data):
            let hasSent = Mutex(false)
            let body = HTTPBody { [stalled] in
                let isFirst = hasSent.withLock { hasSent in
                    defer { hasSent = true }
                    return !hasSent
                }
                if isFirst { return data }
                stalled.continuation.yield()
                // Ends by cancellation only.
                try await Task.sleep(for: .seconds(3_600))
                return nil
            }
            return try await use(HTTPResponse(status: 200, body: body))
        }
    }
}

/// A package fetcher that writes given bytes.
final class ScriptedPackageFetcher: PackageFetcher {
    private let contents: Data
    private let asked = Mutex<[ByteSize]>([])

    init(contents: Data) {
        self.contents = contents
    }

    /// The bounds that files were asked for with.
    var limits: [ByteSize] { asked.withLock { $0 } }

    func fetch(
        _ file: PythonPackageFile, to destination: URL, atMost limit: ByteSize, scratch: URL,
        progress: @escaping @Sendable (_ receivedBytes: Int64) -> Void
    ) async throws {
        asked.withLock { $0.append(limit) }
        try Data("wheel".utf8).write(to: scratch.appending(path: "tiny.whl"))
        progress(1_000)
        let handle = try FileHandle(forWritingTo: destination)
        try handle.write(contentsOf: contents)
        try handle.close()
    }
}

/// Records reported events.
final class Recorder: Sendable {
    private let events = Mutex<[InstallEvent]>([])

    func add(_ event: InstallEvent) {
        events.withLock { $0.append(event) }
    }

    var names: [String] {
        events.withLock { $0 }.map {
            switch $0 {
            case .waiting(let what): "waiting for \(what)"
            case .resumed(let bytes): "resumed \(bytes)"
            case .retrying(let source, _, _): "retrying \(source.title)"
            case .started(let source): "started \(source.title)"
            case .received(let bytes, let total): "received \(bytes) of \(total)"
            case .failed(let source, _, let next): "failed \(source.title), then \(next?.title ?? "nothing")"
            case .unpacking: "unpacking"
            case .verifying: "verifying"
            }
        }
    }
}
