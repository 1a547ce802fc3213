// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleySystem
import ParleyTestSupport
import Synchronization
import Testing

/// Servers that send wrong sizes, endless bodies, or redirects to forbidden addresses.
@Suite("FileDownload: hostile servers", .timeLimit(.minutes(15)))
struct HostileServerTests {
    private let file = ServedFile.model()

    @Test(
        "a range of a file with an impossible size is refused, and nothing is kept",
        arguments: [
            "bytes 0-15/9223372036854775807", "bytes 0-15/1125899906842625", "bytes 0-15/18446744073709551616",
            "bytes 0-15/-1", "bytes 0-9223372036854775806/9223372036854775807", "bytes 20-35/10", "bytes 0-15/10",
            "bytes 0-15/*", "bytes 9223372036854775807-9223372036854775807/*", "nonsense",
        ])
    func impossibleSizes(range: String) async throws {
        let server = try WebServer { _ in
            WebServerReply(206, headers: ["Content-Range": range], body: Data(count: 16))
        }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url(), isPinned: false))
        }
        #expect(error?.message.contains("not requested") == true)
        served.expectNothing()
    }

    @Test("a file with too many chunks is refused, whatever the free space")
    func giantFile() async throws {
        let server = try WebServer { _ in
            WebServerReply(206, headers: ["Content-Range": "bytes 0-15/1125899906842624"], body: Data(count: 16))
        }
        var served = try ServedStore()
        served.store.freeSpace = { _ in nil }
        let store = served.store
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(file.manifest(server.url(), isPinned: false))
        }
        #expect(error?.code == .damagedFile)
        served.expectNothing()
    }

    @Test("known sizes are added without a trap, and do not fit on the disk")
    func knownSizes() async throws {
        let files = (1...2).map { number in
            ManifestFile(
                name: "m-0000\(number)-of-00002.gguf", byteCount: ByteSize(clamping: 5_000_000_000_000_000_000),
                sources: [])
        }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(ModelManifest(name: "m", origin: "m", files: files))
        }
        #expect(error?.code == .diskFull)
    }

    @Test("an endless stream is stopped when the space is used up", .timeLimit(.minutes(15)))
    func endlessStream() async throws {
        let sent = Mutex(0)
        let client = EndlessClient { bytes in sent.withLock { $0 += bytes } }
        var store = ModelStore(directory: try TemporaryDirectory().url, client: client)
        store.quota = 100_000_000
        let limited = store
        let url = try #require(URL(string: "https://host.example/m.gguf"))
        let error = await #expect(throws: ModelStoreError.self) {
            try await limited.install(file.manifest(url, isPinned: false))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(sent.withLock { $0 } < 200_000_000)
    }

    @Test("a body longer than announced is refused")
    func longerThanSaid() async throws {
        let client = ScriptedAnswers([.init(status: 200, headers: ["Content-Length": "10"], body: Data(count: 11))])
        let store = ModelStore(directory: try TemporaryDirectory().url, client: client)
        let url = try #require(URL(string: "https://host.example/m.gguf"))
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(file.manifest(url, isPinned: false))
        }
        #expect(error?.message.contains("sent more bytes than") == true)
    }

    @Test("a server that sends only a few bytes is tried six times")
    func dripping() async throws {
        let file = file
        let never = ThreadGate()
        let server = try WebServer { file.reply(to: $0).pausing(after: 100, at: never) }
        defer { never.open() }
        let served = try ServedStore(client: URLSessionClient())
        var store = served.store
        (store.downloading.patientTimeout, store.downloading.pace.interval) = (.seconds(600), .milliseconds(50))
        let slow = store
        let error = await #expect(throws: ModelStoreError.self) {
            try await slow.install(file.manifest(server.url()))
        }
        #expect(error?.message.contains("all but stopped") == true)
        #expect(server.requests.count == 6)
    }

    @Test("entity tags and dates that could not be sent back are ignored", arguments: ["a\r\nX: y", "a\u{0}", "é", ""])
    func validators(text: String) throws {
        let response = DownloadResponse(status: 200, headers: ["ETag": text, "Last-Modified": text])
        #expect(response.validator == FileValidator())
        #expect(FileValidator(etag: String(repeating: "x", count: 513)).etag == nil)
        let stored = try JSONEncoder().encode(["etag": text, "lastModified": text])
        #expect(try JSONDecoder().decode(FileValidator.self, from: stored) == FileValidator())
    }
}

/// A client whose server never stops sending.
private struct EndlessClient: HTTPClient {
    var count: @Sendable (Int) -> Void

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let piece = Data(count: 1 << 20)
        let body = HTTPBody {
            try Task.checkCancellation()
            count(piece.count)
            return piece
        }
        return try await use(HTTPResponse(status: 200, body: body))
    }
}

/// A client whose server gives answers one after the other, the last one for ever.
private final class ScriptedAnswers: HTTPClient {
    private let answers: [HTTPAnswer]
    private let count = Mutex(0)

    init(_ answers: [HTTPAnswer]) {
        self.answers = answers
    }

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let answer = answers[min(number, answers.count - 1)]
        return try await use(
            HTTPResponse(status: answer.status, headers: answer.headers, body: HTTPBody([answer.body])))
    }
}
