// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyModels
import Synchronization
import Testing

@Suite("URLSessionDownloader")
struct URLSessionDownloaderTests {
    private func download(
        from server: WebServer, range: Range<Int64>? = nil, timeout: Duration = .seconds(30)
    ) async throws -> (response: DownloadResponse?, body: String) {
        let received = Mutex((response: DownloadResponse?.none, body: Data()))
        let request = DownloadRequest(
            url: try server.url(), range: range, ifRange: range == nil ? nil : "\"tag\"", connectTimeout: timeout)
        try await URLSessionDownloader().download(request) { response in
            received.withLock { $0.response = response }
        } receive: { piece in
            received.withLock { $0.body.append(piece) }
        }
        return received.withLock { ($0.response, String(decoding: $0.body, as: UTF8.self)) }
    }

    @Test("a file comes whole, with the head of the answer before it")
    func wholeFile() async throws {
        let server = try WebServer { _ in
            WebServerReply(200, headers: ["ETag": "\"a\""], body: Data("hello".utf8))
        }
        let (response, body) = try await download(from: server)
        #expect(body == "hello")
        #expect(response?.status == 200)
        #expect(response?.byteCount == 5)
        #expect(response?.validator.etag == "\"a\"")
        #expect(server.requests.first?.headers["accept-encoding"] == "identity")
    }

    @Test("a part is asked for with its ends and its condition")
    func part() async throws {
        let server = try WebServer { _ in
            WebServerReply(206, headers: ["Content-Range": "bytes 2-4/9"], body: Data("llo".utf8))
        }
        let (response, body) = try await download(from: server, range: 2..<5)
        #expect(body == "llo")
        #expect(response?.range == 2..<5)
        #expect(response?.totalByteCount == 9)
        #expect(server.requests.first?.headers["range"] == "bytes=2-4")
        #expect(server.requests.first?.headers["if-range"] == "\"tag\"")
    }

    @Test("any status is an answer, also one without a body", arguments: [404, 503, 204])
    func otherStatus(status: Int) async throws {
        let server = try WebServer { _ in WebServerReply(status) }
        #expect(try await download(from: server).response?.status == status)
    }

    @Test("a transfer that breaks off is an error")
    func brokenTransfer() async throws {
        let server = try WebServer { _ in WebServerReply(200, body: Data(repeating: 1, count: 500)).brokenOff(after: 5)
        }
        let error = await #expect(throws: ModelStoreError.self) { try await download(from: server) }
        #expect(error?.code == .unreachable)
    }

    @Test("a server that accepts but does not answer is given up after the time to connect")
    func silentServer() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(head: "", pieces: [.wait(gate)]) }
        let error = await #expect(throws: ModelStoreError.self) {
            try await download(from: server, timeout: .milliseconds(50))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message == "127.0.0.1 did not answer in time.")
    }

    @Test("cancelling the task ends the download")
    func cancellation() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(head: "", pieces: [.wait(gate)]) }
        let task = Task { _ = try await download(from: server) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("an error thrown while receiving ends the download and is thrown on", arguments: [true, false])
    func failingReceiver(isHead: Bool) async throws {
        let server = try WebServer { _ in WebServerReply(200, body: Data("hello".utf8)) }
        let request = DownloadRequest(url: try server.url())
        let full = ModelStoreError(code: .diskFull, message: "full")
        let error = await #expect(throws: ModelStoreError.self) {
            try await URLSessionDownloader().download(request) { _ in
                if isHead { throw full }
            } receive: { _ in
                throw full
            }
        }
        #expect(error?.code == .diskFull)
    }
}
