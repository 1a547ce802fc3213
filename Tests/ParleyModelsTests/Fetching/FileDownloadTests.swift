// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySystem
import ParleyTestSupport
import Synchronization
import Testing

@Suite("FileDownload", .timeLimit(.minutes(15)))
struct FileDownloadTests {
    private let file = ServedFile()

    private func server(
        _ answer: @escaping @Sendable (WebServerRequest, WebServerReply) -> WebServerReply = { $1 }
    ) throws -> WebServer {
        let file = file
        return try WebServer { answer($0, file.reply(to: $0)) }
    }

    @Test("chunks are downloaded in parallel, each byte once", arguments: [1, 2, 4, 9])
    func parts(connections: Int) async throws {
        let server = try server()
        let served = try ServedStore(connections: connections)
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(server.bodyBytes == file.contents.count)
        #expect(server.requests.count == 10)
        #expect(served.clock.durations.isEmpty)
    }

    @Test("a file smaller than a chunk takes one request")
    func smallFile() async throws {
        let server = try server()
        let served = try ServedStore(connections: 4, chunkSize: 1_048_576)
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(server.requests.count == 1)
    }

    @Test("after a dropped connection no byte is downloaded twice")
    func droppedConnection() async throws {
        let server = try server { request, reply in
            [1, 2, 5].contains(request.number) ? reply.brokenOff(after: 3_000) : reply
        }
        let served = try ServedStore()
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(server.bodyBytes == file.contents.count)
        #expect(served.clock.durations.count == 3)
    }

    @Test("without ranges the file is one stream, which starts over when it breaks off")
    func refusedRanges() async throws {
        var file = file
        file.acceptsRanges = false
        let answering = file
        let server = try WebServer { request in
            let reply = answering.reply(to: request)
            return request.number == 0 ? reply.brokenOff(after: 50_000) : reply
        }
        let served = try ServedStore(connections: 4)
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(server.bodyBytes == file.contents.count + 50_000)
    }

    @Test("a file that begins as a stream of an earlier version and goes on in parts has the digest of the parts")
    func partsAfterStream() async throws {
        var earlier = ServedFile.model()
        earlier.acceptsRanges = false
        let (stream, later) = (earlier, ServedFile.model(seed: 2))
        let server = try WebServer { request in
            request.number == 0 ? stream.reply(to: request).brokenOff(after: 50_000) : later.reply(to: request)
        }
        let served = try ServedStore()
        let model = try await served.store.install(later.manifest(server.url(), isPinned: false))
        try served.expectOnly(later, at: model.url)
    }

    @Test("a stream of unknown length is downloaded")
    func unknownLength() async throws {
        let file = file
        let server = try WebServer { _ in
            WebServerReply(
                head: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", pieces: [.bytes(file.contents), .hangUp])
        }
        let served = try ServedStore()
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
    }

    @Test("each request follows the redirect again, so that a signed address may expire")
    func expiringRedirect() async throws {
        let file = file
        let used = Mutex<Set<String>>([])
        let server = try WebServer { request in
            if request.path == "/model.gguf" {
                return WebServerReply(302, headers: ["Location": "/store?X-Amz-Signature=secret\(request.number)"])
            }
            let isFresh = used.withLock { $0.insert(request.path).inserted }
            guard isFresh else { return WebServerReply(403) }
            let reply = file.reply(to: request)
            return request.number == 5 ? reply.brokenOff(after: 10) : reply
        }
        let served = try ServedStore()
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(server.bodyBytes == file.contents.count)
    }

    @Test("an endless redirect is an error")
    func redirectCircle() async throws {
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": "/model.gguf"]) }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.message.contains("redirects without end") == true)
        served.expectNothing()
    }

    @Test(
        "a refusal is reported immediately and clearly",
        arguments: [
            (401, ModelStoreError.Code.notAuthorized, "HF_TOKEN"), (403, .notAuthorized, "licence"),
            (404, .notFound, "Check the name"),
        ])
    func refusal(status: Int, code: ModelStoreError.Code, hint: String) async throws {
        let server = try WebServer { _ in WebServerReply(status, body: Data("no".utf8)) }
        var served = try ServedStore()
        served.store.hub = HubEndpoint(environment: ["HF_ENDPOINT": server.root])
        let store = served.store
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(file.manifest(server.url()))
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(hint) == true)
        #expect(server.requests.count == 1)
        served.expectNothing()
    }

    @Test("where a server other than the hub refuses, the message is not about the hub's token", arguments: [401, 403])
    func refusalElsewhere(status: Int) async throws {
        let server = try WebServer { _ in WebServerReply(status) }
        let served = try ServedStore()
        let named = try #require(URL(string: "http://me:pass@127.0.0.1:\(server.port)/model.gguf"))
        for (url, hint) in [(try server.url(), "NAME:PASSWORD"), (named, "Check the name and the password")] {
            let error = await #expect(throws: ModelStoreError.self) {
                try await served.store.install(file.manifest(url))
            }
            #expect(error?.code == .notAuthorized)
            #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("HF_TOKEN") == false && error?.message.contains("pass@") == false)
        }
    }

    @Test("a file on this machine that is a device is refused, and nothing is read from it")
    func device() async throws {
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(URL(filePath: "/dev/null"), isPinned: false))
        }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("/dev/null is not a file") == true)
        served.expectNothing()
    }

    @Test("a requested wait is observed")
    func tooManyRequests() async throws {
        let server = try server { request, reply in
            request.number == 1 ? WebServerReply(429, headers: ["Retry-After": "7"]) : reply
        }
        let served = try ServedStore()
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(served.clock.durations == [.seconds(7)])
    }

    @Test("a failing server is retried with doubling waits")
    func serverErrors() async throws {
        let server = try server { request, reply in (1...3).contains(request.number) ? WebServerReply(500) : reply }
        let served = try ServedStore()
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(served.clock.durations == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test("a server that always fails is tried six times")
    func lastingServerErrors() async throws {
        let server = try WebServer { _ in WebServerReply(503) }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("status 503") == true)
        #expect(server.requests.count == 6)
        served.expectNothing()
    }

    @Test("a server that sends less than announced fails, and the received bytes are kept")
    func tooLittle() async throws {
        let server = try server { request, reply in request.number == 0 ? reply : reply.brokenOff(after: 0) }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.code == .unreachable)
        #expect(served.blobs.isEmpty && served.entries.isEmpty)
        #expect(served.partials.count == 2)
    }

    @Test("a file with an unexpected length is refused before it is downloaded")
    func wrongLength() async throws {
        let server = try WebServer { ServedFile(count: 99_999).reply(to: $0) }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.code == .checksumMismatch)
        #expect(error?.message.contains("99999 bytes where one of 100000") == true)
        served.expectNothing()
    }

    @Test("a chunk longer than requested does not overwrite the next one")
    func tooMuch() async throws {
        let file = file
        let server = try WebServer { request in
            let range = request.range(of: file.contents.count) ?? 0..<0
            let headers = [
                "ETag": "\"one\"", "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/100000",
            ]
            return WebServerReply(206, headers: headers, body: file.contents[range] + Data("more".utf8))
        }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.message.contains("sent more bytes than the file has") == true)
        #expect(served.blobs.isEmpty && served.entries.isEmpty)
    }

    @Test("a file with a wrong digest is refused and not kept")
    func wrongDigest() async throws {
        let server = try WebServer { ServedFile(seed: 2).reply(to: $0) }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.code == .checksumMismatch)
        served.expectNothing()
    }

    @Test("an error page with a success status is not a model")
    func page() async throws {
        let page = ServedFile(Data("<html>Please log in</html>".utf8))
        let server = try WebServer { page.reply(to: $0) }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(page.manifest(server.url(), isPinned: false))
        }
        #expect(error?.code == .damagedFile)
        served.expectNothing()
    }

    @Test("a file that changes with every request is an error")
    func restlessFile() async throws {
        let server = try WebServer { request in
            var file = ServedFile()
            file.etag = "\"\(request.number)\""
            return file.reply(to: request)
        }
        let served = try ServedStore()
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.code == .changed)
        #expect(served.blobs.isEmpty && served.entries.isEmpty)
    }

    @Test("an address's password and the token are sent to their own server only")
    func credentials() async throws {
        let file = file
        let elsewhere = try WebServer { file.reply(to: $0) }
        let target = try elsewhere.url().absoluteString
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": target]) }
        var served = try ServedStore()
        served.store.hub = HubEndpoint(environment: [
            "HF_TOKEN": "hf_secret", "HF_ENDPOINT": "http://127.0.0.1:\(server.port)",
        ])
        try await served.store.install(file.manifest(server.url()))
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer hf_secret" })
        let address = "http://me:pass@127.0.0.1:\(server.port)/model.gguf?X-Amz-Signature=abc"
        let url = try #require(URL(string: address))
        let model = try await served.store.install(file.manifest(url, name: "other", isPinned: true))
        #expect(elsewhere.requests.allSatisfy { $0.headers["authorization"] == nil })
        let manifest = try String(contentsOf: model.directory.appending(path: "manifest.json"), encoding: .utf8)
        #expect(!manifest.contains("pass") && !manifest.contains("abc") && manifest.contains("/model.gguf"))
    }
}
