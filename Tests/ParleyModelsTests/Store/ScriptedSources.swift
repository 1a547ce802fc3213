// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyModels
import Synchronization

/// A downloader that does what it is told.
final class ScriptedDownloader: FileDownloader {
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

    func download(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        count.withLock { $0 += 1 }
        switch script {
        case .fails:
            throw ModelStoreError(code: .unreachable, message: "\(request.url.host() ?? "") is down.")
        case .sends(let data):
            try respond(DownloadResponse(status: 200, headers: ["Content-Length": "\(data.count)"]))
            try receive(data.prefix(data.count / 2))
            try receive(data.suffix(data.count - data.count / 2))
        case .stalls(let data):
            try respond(DownloadResponse(status: 200, headers: [:]))
            try receive(data)
            stalled.continuation.yield()
            // Ends by cancellation only.
            try await Task.sleep(for: .seconds(3_600))
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

/// Writes down what is reported.
final class Recorder: Sendable {
    private let events = Mutex<[FetchEvent]>([])

    func add(_ event: FetchEvent) {
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
            case .verifying: "verifying"
            }
        }
    }
}
