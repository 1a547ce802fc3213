// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

/// Listings, manifests and file headers from a hostile server.
@Suite("ModelResolver: hostile answers", .timeLimit(.minutes(15)))
struct HostileAnswersTests {
    private let hub = HubEndpoint()
    private static let listing = "https://huggingface.co/api/models/a/b/tree/main?recursive=true"

    private func resolved(listing: String, headers: HTTPHeaders = [:]) async throws -> ModelManifest {
        let web = ScriptedWeb([Self.listing: .text(listing, headers: headers)])
        return try await ModelResolver(hub: hub, client: web).manifest(of: ModelReference(parsing: "hf:a/b"))
    }

    @Test(
        "a listing with an impossible size is refused",
        arguments: ["9223372036854775807", "1125899906842625", "-1", "1e300", "18446744073709551615"])
    func sizes(size: String) async throws {
        let error = await #expect(throws: ModelStoreError.self) {
            try await resolved(listing: #"[{"type":"file","path":"m.gguf","size":\#(size)}]"#)
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test("a listing nested ten thousand deep is refused")
    func depth() async throws {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let error = await #expect(throws: ModelStoreError.self) { try await resolved(listing: deep) }
        #expect(error?.code == .invalidManifest)
    }

    @Test("a listing of more files than any model has is refused")
    func count() async throws {
        let entry = #"{"type":"file","path":"m.gguf"}"#
        let many = "[" + Array(repeating: entry, count: 60_000).joined(separator: ",") + "]"
        let error = await #expect(throws: ModelStoreError.self) { try await resolved(listing: many) }
        #expect(error?.message.contains("too many files to be the repository of a model") == true)
    }

    @Test("an endless listing, or one that continues on another host, is refused", arguments: ["a/b", "x"])
    func endless(next: String) async throws {
        let link = next == "a/b" ? Self.listing : "https://elsewhere.example/"
        let error = await #expect(throws: ModelStoreError.self) {
            try await resolved(listing: "[]", headers: ["Link": "<\(link)>; rel=\"next\""])
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test("a listing whose pages come slowly is given up after the time for all of them, or when it is cancelled")
    func slowPages() async throws {
        let clock = InstantClock()
        let web = SlowPages(clock: clock, page: .seconds(50), next: Self.listing)
        var resolver = ModelResolver(hub: hub, client: web)
        resolver.limit = .seconds(120)
        let start = ContinuousClock.now
        resolver.now = { start.advanced(by: clock.now.offset) }
        let slow = resolver
        let error = await #expect(throws: ModelStoreError.self) {
            try await slow.manifest(of: ModelReference(parsing: "hf:a/b"))
        }
        #expect(error?.code == .unreachable)
        #expect(web.limits == [.seconds(120), .seconds(70), .seconds(20)])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await slow.manifest(of: ModelReference(parsing: "hf:a/b"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(web.limits.count == 3)
    }

    @Test(
        "files with names that leave the directory, or with the same name, are refused",
        arguments: [
            ["../m.gguf"], ["/etc/m.gguf"], ["a/../m.gguf"], ["m\\u0000.gguf"], ["m\\u001b[2J.gguf"], ["-rf.gguf"],
            [String(repeating: "x", count: 2_000) + ".gguf"],
        ])
    func names(paths: [String]) async throws {
        let entries = paths.map { #"{"type":"file","path":"\#($0)","size":5}"# }
        let error = await #expect(throws: ModelStoreError.self) {
            try await resolved(listing: "[" + entries.joined(separator: ",") + "]")
        }
        #expect(error?.code == .notFound)
    }

    @Test("a file name that claims very many parts is refused")
    func parts() async throws {
        let text = """
            {"inference_type": "llama.cpp/text-to-text", "schema_version": "1.0.0",
             "load_time_parameters": {"model": "m-00001-of-99999.gguf"}}
            """
        let web = ScriptedWeb(["https://host.example/m.json": .text(text)])
        let error = await #expect(throws: ModelStoreError.self) {
            try await ModelResolver(hub: hub, client: web).manifest(
                of: ModelReference(parsing: "https://host.example/m.json"))
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test(
        "a manifest from the web must not refer to this machine or to unencrypted addresses",
        arguments: ["http://host.example/m.gguf", "https://127.0.0.1/m.gguf", "file:///etc/passwd", "//[::1]/m.gguf"])
    func places(address: String) async throws {
        let text = """
            {"inference_type": "llama.cpp/text-to-text", "schema_version": "1.0.0",
             "load_time_parameters": {"model": "\(address)"}}
            """
        let web = ScriptedWeb(["https://host.example/m.json": .text(text)])
        let error = await #expect(throws: ModelStoreError.self) {
            let manifest = try await ModelResolver(hub: hub, client: web).manifest(
                of: ModelReference(parsing: "https://host.example/m.json"))
            Issue.record("\(manifest.files)")
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test(
        "reading the beginning of a file takes memory for the received bytes only, whatever length is claimed",
        arguments: ["60000000000", "1125899906842624", "9223372036854775807", "*", "0"])
    func claims(size: String) async throws {
        var bytes = Array("GGUF".utf8) + [3, 0, 0, 0]
        for number in [UInt64(2_000_000_000), 0] { withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) } }
        bytes += [UInt8](repeating: 0, count: 100_000 - bytes.count)
        let url = "https://host.example/m.gguf"
        let answer = HTTPAnswer(
            status: 206, headers: ["Content-Range": "bytes 0-99999/\(size)"], body: Data(bytes))
        let resolver = ModelResolver(hub: hub, client: ScriptedWeb([url: answer]))
        let manifest = try await resolver.manifest(of: ModelReference(parsing: url))
        await #expect(throws: ModelStoreError.self) { _ = try await resolver.header(of: manifest) }
    }

    @Test("a range that does not start at 0 is not accepted as the beginning of a file")
    func wrongPart() async throws {
        let bytes = TinyModel().writer().encoded()
        let url = "https://host.example/m.gguf"
        let answer = HTTPAnswer(
            status: 206, headers: ["Content-Range": "bytes 1-\(bytes.count)/\(bytes.count + 1)"], body: Data(bytes))
        let resolver = ModelResolver(hub: hub, client: ScriptedWeb([url: answer]))
        let manifest = try await resolver.manifest(of: ModelReference(parsing: url))
        await #expect(throws: ModelStoreError.self) { _ = try await resolver.header(of: manifest) }
    }
}

/// A hub whose listing has no end, and each page of which takes a while.
private final class SlowPages: HTTPClient {
    private let clock: InstantClock
    private let page: Duration
    private let next: String
    private let asked = Mutex<[Duration?]>([])

    init(clock: InstantClock, page: Duration, next: String) {
        (self.clock, self.page, self.next) = (clock, page, next)
    }

    /// The time limits of the requests, in order.
    var limits: [Duration?] { asked.withLock { $0 } }

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        asked.withLock { $0.append(request.limits.whole) }
        try await clock.sleep(until: clock.now.advanced(by: page), tolerance: nil)
        return try await use(
            HTTPResponse(status: 200, headers: ["Link": "<\(next)>; rel=\"next\""], body: HTTPBody([Data("[]".utf8)])))
    }
}
