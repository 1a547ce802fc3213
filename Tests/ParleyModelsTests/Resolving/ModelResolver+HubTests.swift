// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Testing

/// Tests with a server on loopback: requests to the hub, and the meaning of its refusals.
@Suite("ModelResolver and the hub")
struct ModelResolverHubTests {
    private let digest = String(repeating: "5", count: 64)

    private func listing(_ path: String = "m-Q4_0.gguf", size: Int = 7, sha256: String?) -> WebServer.Page {
        let large = sha256.map { #","lfs":{"oid":"\#($0)","size":\#(size)}"# } ?? ""
        return .init(body: Data(#"[{"type":"file","size":\#(size),"path":"\#(path)"\#(large)}]"#.utf8))
    }

    private let tree = "/api/models/o/r/tree/main?recursive=true"

    @Test("size and digest are taken from the listing, and the file from the endpoint")
    func listed() async throws {
        let server = try WebServer(pages: { _ in [tree: listing(sha256: digest)] })
        let manifest = try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r"))
        #expect(manifest.name == "o/r:Q4_0")
        #expect(manifest.origin == "hf:o/r")
        let file = try #require(manifest.files.first)
        #expect((file.name, file.byteCount, file.sha256) == ("m-Q4_0.gguf", 7, digest))
        #expect(file.sources == [.web(try #require(URL(string: "\(server.root)/o/r/resolve/main/m-Q4_0.gguf")))])
        #expect(server.requests.count == 1)
    }

    @Test("properties missing in the listing are read from the file's response headers, without following its redirect")
    func headers() async throws {
        let server = try WebServer(pages: { _ in
            [
                tree: listing(size: 0, sha256: nil),
                "/o/r/resolve/main/m-Q4_0.gguf": .init(
                    status: 302,
                    headers: ["X-Linked-Size": "1234", "X-Linked-ETag": "\"\(digest)\"", "Location": "/elsewhere"]),
            ]
        })
        let manifest = try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r"))
        #expect(manifest.files.first?.byteCount == 1_234)
        #expect(manifest.files.first?.sha256 == digest)
        #expect(server.requests.map(\.method) == ["GET", "HEAD"])
    }

    @Test("the slashes in the name of a branch are escaped, in listings and in the addresses of files")
    func branchWithSlash() async throws {
        let server = try WebServer(pages: { _ in
            [
                "/api/models/o/r/tree/a%2Fb?recursive=true": listing(size: 0, sha256: nil),
                "/o/r/resolve/a%2Fb/m-Q4_0.gguf": .init(
                    status: 302,
                    headers: ["X-Linked-Size": "1234", "X-Linked-ETag": "\"\(digest)\"", "Location": "/elsewhere"]),
            ]
        })
        let manifest = try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r@a/b"))
        #expect(manifest.files.first?.sha256 == digest)
        let address = try #require(URL(string: "\(server.root)/o/r/resolve/a%2Fb/m-Q4_0.gguf"))
        #expect(manifest.files.first?.sources == [.web(address)])
    }

    @Test("a listing in several pages is read to its end")
    func pages() async throws {
        let server = try WebServer(pages: { root in
            var first = listing("a-Q2_K.gguf", sha256: digest)
            first.headers["Link"] =
                "<\(root)\(tree)>; rel=\"first\", <\(root)\(tree)&cursor=2,b>; title=\"a, b\"; rel=\"next\""
            return [tree: first, tree + "&cursor=2,b": listing("m-Q4_0.gguf", sha256: digest)]
        })
        let manifest = try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r"))
        #expect(manifest.files.map(\.name) == ["m-Q4_0.gguf"])
    }

    @Test("a listing that continues on another host is an error")
    func foreignPage() async throws {
        let server = try WebServer(pages: { _ in
            var first = listing(sha256: digest)
            first.headers["Link"] = "<http://localhost:1/next>; rel=\"next\""
            return [tree: first]
        })
        let error = await #expect(throws: ModelStoreError.self) {
            try await server.resolver(token: "hf_secret").manifest(of: ModelReference(parsing: "hf:o/r"))
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test("a listing with endless pages is an error")
    func endlessPages() async throws {
        let server = try WebServer(pages: { root in
            var page = listing(sha256: digest)
            page.headers["Link"] = "<\(root)\(tree)>; rel=\"next\""
            return [tree: page]
        })
        let error = await #expect(throws: ModelStoreError.self) {
            try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r"))
        }
        #expect(error?.code == .invalidManifest)
        #expect(server.requests.count <= 50)
    }

    @Test("the token goes to the hub, and not to the host it redirects to")
    func token() async throws {
        let other = try WebServer(pages: { _ in ["/list": listing(sha256: digest)] })
        let server = try WebServer(pages: { _ in
            [tree: .init(status: 302, headers: ["Location": "\(other.root)/list"])]
        })
        _ = try await server.resolver(token: "hf_secret").manifest(of: ModelReference(parsing: "hf:o/r"))
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer hf_secret"])
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("the token goes to no other port, scheme or host than the endpoint's")
    func tokenScope() throws {
        let hub = HubEndpoint(environment: ["HF_ENDPOINT": "https://mirror.example", "HF_TOKEN": " hf_secret\n"])
        func isSent(_ address: String) throws -> Bool {
            try hub.authorization(for: try #require(URL(string: address))) != nil
        }
        #expect(try isSent("https://mirror.example/o/r/resolve/main/m.gguf"))
        #expect(try isSent("https://MIRROR.example:443/x"))
        for address in ["http://mirror.example/x", "https://mirror.example:444/x", "https://mirror.example.evil.org/x"]
        {
            #expect(try !isSent(address))
        }
    }

    @Test(
        "a refusal says what to do",
        arguments: [
            (401, "GatedRepo", nil, ModelStoreError.Code.notAuthorized, ["licence", "HF_TOKEN", "/o/r"]),
            (403, "GatedRepo", "hf_secret", .notAuthorized, ["does not give access to", "/o/r"]),
            (401, "RepoNotFound", nil, .notAuthorized, ["private or misspelt", "o/right"]),
            (404, "RepoNotFound", "hf_secret", .notFound, ["There is no o/r", "Did you mean o/right?"]),
            (404, "RevisionNotFound", nil, .notFound, ["no revision main"]),
            (429, "", nil, .unreachable, ["too many requests"]),
            (503, "", nil, .unreachable, ["status 503"]),
        ] as [(Int, String, String?, ModelStoreError.Code, [String])])
    func refusals(status: Int, code: String, token: String?, kind: ModelStoreError.Code, told: [String]) async throws {
        let server = try WebServer(pages: { _ in
            [
                tree: .init(status: status, headers: code.isEmpty ? [:] : ["X-Error-Code": code]),
                "/api/models?search=r&limit=5": .init(body: Data(#"[{"id":"o/right"}]"#.utf8)),
            ]
        })
        let error = await #expect(throws: ModelStoreError.self) {
            try await server.resolver(token: token).manifest(of: ModelReference(parsing: "hf:o/r"))
        }
        #expect(error?.code == kind)
        for part in told { #expect(error?.message.contains(part) == true, "\(error?.message ?? "")") }
        #expect(error?.message.contains("hf_secret") == false)
    }

    @Test(
        "a response that is not a listing is an error", arguments: ["", "{}", "[1]", "<html>", #"[{"type":"file"}]"#])
    func nonsense(body: String) async throws {
        let server = try WebServer(pages: { _ in [tree: .init(body: Data(body.utf8))] })
        let error = await #expect(throws: ModelStoreError.self) {
            try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r"))
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test("a response that is too long is an error")
    func longAnswer() async throws {
        let server = try WebServer(pages: { _ in [tree: .init(body: Data(count: 9 << 20))] })
        let error = await #expect(throws: ModelStoreError.self) {
            try await server.resolver().manifest(of: ModelReference(parsing: "hf:o/r"))
        }
        #expect(error?.code == .unreachable)
    }

    @Test("a quantisation that the catalog does not list comes from the first repository that has it")
    func catalogQuantization() async throws {
        let server = try WebServer(pages: { _ in
            [
                "/api/models/Qwen/Qwen3-0.6B-GGUF/tree/main?recursive=true": listing(
                    "Qwen3-0.6B-Q8_0.gguf", sha256: digest),
                "/api/models/unsloth/Qwen3-0.6B-GGUF/tree/main?recursive=true":
                    listing("Qwen3-0.6B-Q4_K_M.gguf", sha256: digest),
            ]
        })
        let manifest = try await server.resolver().manifest(of: ModelReference(parsing: "qwen3-0.6b:Q4_K_M"))
        #expect((manifest.name, manifest.origin) == ("qwen3-0.6b:Q4_K_M", "qwen3-0.6b:Q4_K_M"))
        #expect(manifest.files.map(\.name) == ["Qwen3-0.6B-Q4_K_M.gguf"])
        #expect(manifest.license == "Apache-2.0")
        let error = await #expect(throws: ModelStoreError.self) {
            try await server.resolver().manifest(of: ModelReference(parsing: "qwen3-0.6b:Q3_K_S"))
        }
        #expect(error?.message.contains("Q8_0") == true)
    }

    @Test("the digest that the catalog does not know is read from the hub")
    func catalogDigest() async throws {
        let path = "/LiquidAI/LFM2-350M-GGUF/resolve/main/LFM2-350M-Q4_K_M.gguf"
        let server = try WebServer(pages: { _ in
            [path: .init(headers: ["X-Linked-Size": "229309376", "X-Linked-ETag": "\"\(digest)\""])]
        })
        let manifest = try await server.resolver().manifest(of: ModelReference(parsing: "lfm2-350m"))
        #expect(manifest.files.first?.sha256 == digest)
        #expect(manifest.files.first?.byteCount == 229_309_376)
    }

    @Test(
        "the error for a token that is not valid in a header names the variable, and the token is neither sent nor shown",
        arguments: ["hf_sec\nret", "hf_sec\r\nX-Evil: ret", "hf_sec\u{0}ret", "hf_sec ret", "hf_sécret"])
    func brokenToken(token: String) async throws {
        let hub = HubEndpoint(environment: ["HF_TOKEN": token])
        let web = ScriptedWeb([:])
        let error = await #expect(throws: ModelStoreError.self) {
            try await ModelResolver(hub: hub, client: web).manifest(of: ModelReference(parsing: "hf:owner/repo"))
        }
        #expect(error?.code == .notAuthorized)
        #expect(error?.message.contains("HF_TOKEN") == true)
        #expect(error?.message.contains("sec") == false && error?.message.contains("ret") == false)
        let elsewhere = try #require(URL(string: "https://other.example/m.gguf"))
        #expect(try hub.authorization(for: elsewhere) == nil)
    }

    @Test(
        "user and password of an address are sent in a header, and the error for an unreachable server mentions the proxy"
    )
    func addresses() async throws {
        let server = try WebServer { _ in WebServerReply(404) }
        let resolver = ModelResolver(hub: HubEndpoint(), client: URLSessionClient(clock: ManualClock()))
        let error = await #expect(throws: ModelStoreError.self) {
            try await resolver.manifest(of: ModelReference(parsing: "http://me:pass@127.0.0.1:\(server.port)/m.json"))
        }
        #expect(error?.code == .notFound)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Basic bWU6cGFzcw=="])
        let unreachable = await #expect(throws: ModelStoreError.self) {
            try await resolver.manifest(of: ModelReference(parsing: "http://127.0.0.1:1/m.json"))
        }
        #expect(unreachable?.code == .unreachable)
        #expect(unreachable?.message.contains("HTTPS_PROXY") == true)
    }
}
