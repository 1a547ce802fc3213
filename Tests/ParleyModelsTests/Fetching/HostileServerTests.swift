// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyModels
import Synchronization
import Testing

/// Servers that lie about sizes, send without end, or send their reader elsewhere.
@Suite("FileDownload: hostile servers", .timeLimit(.minutes(15)))
struct HostileServerTests {
    private let file = ServedFile.model()

    @Test(
        "a part of a file of no possible size is refused, and nothing is kept",
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
            try await served.store.fetch(file.manifest(server.url(), isPinned: false))
        }
        #expect(error?.message.contains("parts of") == true)
        served.expectNothing()
    }

    @Test("a file of more parts than anybody downloads is refused, wherever the disk ends")
    func giantFile() async throws {
        let server = try WebServer { _ in
            WebServerReply(206, headers: ["Content-Range": "bytes 0-15/1125899906842624"], body: Data(count: 16))
        }
        var served = try ServedStore()
        served.store.freeSpace = { _ in nil }
        let store = served.store
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.fetch(file.manifest(server.url(), isPinned: false))
        }
        #expect(error?.code == .damagedFile)
        served.expectNothing()
    }

    @Test("sizes that are known beforehand add up without a trap, and find no room")
    func knownSizes() async throws {
        let files = (1...2).map { number in
            ManifestFile(
                name: "m-0000\(number)-of-00002.gguf", byteCount: ByteSize(clamping: 5_000_000_000_000_000_000),
                sources: [])
        }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.fetch(ModelManifest(name: "m", origin: "m", files: files))
        }
        #expect(error?.code == .diskFull)
    }

    @Test("a stream without end is stopped where the room ends", .timeLimit(.minutes(15)))
    func endlessStream() async throws {
        let sent = Mutex(0)
        let downloader = EndlessDownloader { bytes in sent.withLock { $0 += bytes } }
        var store = ModelStore(directory: try TemporaryDirectory().url, downloader: downloader)
        store.quota = 100_000_000
        let limited = store
        let url = try #require(URL(string: "https://host.example/m.gguf"))
        let error = await #expect(throws: ModelStoreError.self) {
            try await limited.fetch(file.manifest(url, isPinned: false))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(sent.withLock { $0 } < 200_000_000)
    }

    @Test("a body that is longer than the server said is refused")
    func longerThanSaid() async throws {
        let downloader = ScriptedAnswers([.init(status: 200, headers: ["Content-Length": "10"], body: Data(count: 11))])
        let store = ModelStore(directory: try TemporaryDirectory().url, downloader: downloader)
        let url = try #require(URL(string: "https://host.example/m.gguf"))
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.fetch(file.manifest(url, isPinned: false))
        }
        #expect(error?.message.contains("sent more than") == true)
    }

    @Test("a server that sends next to nothing is given up after six attempts, however often it begins")
    func dripping() async throws {
        let file = file
        let never = Gate()
        let server = try WebServer { file.reply(to: $0).pausing(after: 100, at: never) }
        defer { never.open() }
        var watch = StallWatch()
        watch.interval = .milliseconds(50)
        let served = try ServedStore()
        var store = ModelStore(
            directory: served.directory.url, downloader: URLSessionDownloader(watch: watch))
        store.downloading = served.store.downloading
        let slow = store
        let error = await #expect(throws: ModelStoreError.self) {
            try await slow.fetch(file.manifest(server.url()))
        }
        #expect(error?.message.contains("all but stopped") == true)
        #expect(server.requests.count == 6)
    }

    @Test("a transfer is stalled where too little comes between two looks")
    func stalls() {
        var watch = StallWatch()
        watch.leastBytes = 100
        let looks = [nil, 0, 100, 250, 349, 349, nil].map { watch.isStalled(at: $0) }
        #expect(looks == [false, false, false, false, true, true, false])
    }

    @Test("a head without end is an error")
    func endlessHead() async throws {
        let server = try WebServer { _ in
            WebServerReply(head: "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 4 << 20) + "\r\n\r\n")
        }
        let error = await #expect(throws: ModelStoreError.self) {
            _ = try await URLSessionReader().answer(to: WebRequest(try server.url()))
        }
        #expect(error?.code == .unreachable)
    }

    @Test(
        "nobody is sent from the web to files, to this machine, to its network or out of encryption",
        arguments: [
            "file:///etc/passwd", "ftp://host.example/m.gguf", "data:text/plain,x", "http://host.example/m.gguf",
            "https://127.0.0.1/", "https://localhost/", "https://127.1/", "https://0x7f000001/", "https://2130706433/",
            "https://10.1.2.3/", "https://192.168.0.1/", "https://172.31.0.1/", "https://169.254.169.254/latest",
            "https://[::1]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/",
            "https://router/", "https://printer.local/", "https://0.0.0.0/", "https:///m.gguf",
        ])
    func refusedRedirects(address: String) throws {
        let origin = try #require(URL(string: "https://host.example/model.gguf"))
        let target = try #require(URL(string: address))
        #expect(origin.refusal(ofSendingTo: target) != nil)
    }

    @Test(
        "other addresses of the web may follow, also in the network of who is in it",
        arguments: [
            ("https://host.example/", "https://cdn.example/"), ("http://host.example/", "https://cdn.example/"),
            ("http://host.example/", "http://cdn.example/"), ("http://127.0.0.1:80/", "http://127.0.0.1:81/"),
            ("http://hub.lan/", "http://192.168.1.5/"), ("https://host.example/", "https://8.8.8.8/"),
            ("https://host.example/", "https://1.example.org/"), ("https://host.example/", "https://[2001:db8::1]/"),
        ])
    func allowedRedirects(origin: String, target: String) throws {
        let origin = try #require(URL(string: origin))
        let target = try #require(URL(string: target))
        #expect(origin.refusal(ofSendingTo: target) == nil)
    }

    @Test("tags and dates that could not be sent back are none", arguments: ["a\r\nX: y", "a\u{0}", "é", ""])
    func validators(text: String) throws {
        let response = DownloadResponse(status: 200, headers: ["ETag": text, "Last-Modified": text])
        #expect(response.validator == FileValidator())
        #expect(FileValidator(etag: String(repeating: "x", count: 513)).etag == nil)
        let stored = try JSONEncoder().encode(["etag": text, "lastModified": text])
        #expect(try JSONDecoder().decode(FileValidator.self, from: stored) == FileValidator())
    }
}

/// A downloader that never stops sending.
private struct EndlessDownloader: FileDownloader {
    var count: @Sendable (Int) -> Void

    func download(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        try respond(DownloadResponse(status: 200, headers: [:]))
        let piece = Data(count: 1 << 20)
        while true {
            try Task.checkCancellation()
            try receive(piece)
            count(piece.count)
        }
    }
}

/// A downloader that gives answers one after the other, the last one for ever.
private final class ScriptedAnswers: FileDownloader {
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data
    }

    private let answers: [Answer]
    private let count = Mutex(0)

    init(_ answers: [Answer]) {
        self.answers = answers
    }

    func download(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let answer = answers[min(number, answers.count - 1)]
        try respond(DownloadResponse(status: answer.status, headers: answer.headers))
        try receive(answer.body)
    }
}
