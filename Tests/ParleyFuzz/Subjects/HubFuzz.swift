// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleyRuntime
import ParleySystem
import ParleyTestSupport
import ParleyTesting

/// Responses of hubs and web servers, manifests, names and journals: values parsed from them stay within their limits.
struct HubFuzz: FuzzSubject {
    static let name = "hub"

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "null", "true", "-1", "9223372036854775807", "1e999",
        "1125899906842625", "../", "/", "..", "-00001-of-00003.gguf", "-00001-of-99999.gguf", ".gguf", "file", "size",
        "lfs", "oid", "é", "\u{301}", "\u{202E}", "con", " ", "\r\n", "https://", "file:///", "//", "@", "?", "#", "%",
        "%00", "%2e%2e", "[::1]", "127.1", "localhost",
    ].map { Array($0.utf8) }
    private static let digest = String(repeating: "a5", count: 32)
    private static let listing = Array(
        """
        [{"type":"file","path":"m-Q4_0.gguf","size":7,"lfs":{"oid":"\(digest)","size":700}},
        {"type":"directory","path":"folder","size":0},{"type":"file","path":"f/m-Q8_0-00001-of-00002.gguf","size":5},
        {"type":"file","path":"f/m-Q8_0-00002-of-00002.gguf","size":9},{"type":"file","path":"mmproj-F16.gguf","size":3}]
        """.utf8)
    private static let manifest = Array(
        """
        {"inference_type":"llama.cpp/text-to-text","schema_version":"1.0.0","load_time_parameters":{"model":
        "../m-Q4_0-00001-of-00003.gguf","multimodal_projector":"https://h.example/mmproj.gguf","chat_template":"x"},
        "generation_time_parameters":{"sampling_parameters":{"temperature":0.3,"min_p":0.1,"top_k":40}}}
        """.utf8)
    private static let stored = Array(
        """
        {"name":"m","origin":"hf:a/b","sampling":{},"files":[{"role":"model","name":"m.gguf","byteCount":700,
        "sha256":"\(digest)","sources":[{"web":{"_0":"https://h.example/m.gguf"}}]}]}
        """.utf8)
    private static let headers = [
        ("Content-Range", "bytes 0-99/1000"), ("Content-Length", "1000"), ("ETag", "\"abc\""), ("Retry-After", "7"),
        ("Last-Modified", "Fri, 31 Dec 1999 23:59:59 GMT"), ("X-Linked-Size", "1000"),
        ("X-Linked-ETag", "\"\(digest)\""), ("Link", "<https://h.example/next>; rel=\"next\""),
    ]
    private static let addresses = [
        "https://h.example/m.gguf", "http://127.0.0.1:80/x", "https://[fe80::1%25en0]/m", "hf:a/b@main:Q4_0",
        "hf:a/b:m.gguf", "pypi:a==1#b/c.gguf", "smollm2-135m:Q4_1", "file:///tmp/m.gguf", "https://huggingface.co/a/b",
    ].map { Array($0.utf8) }

    private let model: [UInt8]
    private let journal: [UInt8]
    private let hub = HubEndpoint()

    init() throws {
        var tiny = TinyModel()
        tiny.width = 32
        tiny.feedForward = 32
        tiny.headDim = 8
        model = tiny.writer().encoded()
        journal = Array(
            """
            {"version":1,"boot":"x","identity":{"source":"s","byteCount":1000,"chunkSize":100,"validator":{}}}
            """.utf8)
    }

    func run(_ random: inout SplitMix64) async throws {
        switch random.int(0...15) {
        case 0...2: try await list(&random)
        case 3...4: try await readManifest(&random)
        case 5...6: try readHead(&random)
        case 7...8: try readName(&random)
        case 9: try readAddress(&random)
        case 10...11: try readJournal(&random)
        case 12: try plan(&random)
        case 13: readStored(&random)
        case 14: try await readBeginning(&random)
        default:
            // Files on the disk take a while.
            if random.oneIn(8) { try await fetch(&random) } else { try readHead(&random) }
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func number(_ random: inout SplitMix64) -> String {
        random.oneIn(3) ? text(random.mutated(Array("1000".utf8), with: Self.pieces)) : "\(random.hostileInteger())"
    }

    /// Some of the headers, with other numbers or other text.
    private func head(_ random: inout SplitMix64) -> [String: String] {
        var head: [String: String] = [:]
        for (name, value) in Self.headers where !random.oneIn(3) {
            switch random.int(0...3) {
            case 0: head[name] = text(random.mutated(Array(value.utf8), with: Self.pieces))
            case 1: head[name] = value.replacing("1000", with: number(&random)).replacing("99", with: number(&random))
            case 2: head[name] = number(&random)
            default: head[name] = value
            }
        }
        return head
    }

    /// A JSON text with other numbers and other text.
    private func json(_ seed: [UInt8], _ random: inout SplitMix64) -> Data {
        guard random.oneIn(2) else { return Data(random.mutated(seed, with: Self.pieces)) }
        var bytes = seed
        let digits = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
        if !digits.isEmpty {
            let place = random.pick(digits)
            bytes.replaceSubrange(place...place, with: Array(number(&random).utf8))
        }
        return Data(bytes)
    }

    private func list(_ random: inout SplitMix64) async throws {
        let client = OneAnswer(
            HTTPAnswer(
                status: random.oneIn(8) ? random.int(100...599) : 200, headers: HTTPHeaders(head(&random)),
                body: json(Self.listing, &random)))
        let reference = HubReference("a/b", quantization: random.oneIn(2) ? "Q8_0" : nil)
        let resolver = ModelResolver(hub: hub, client: client)
        do {
            try check(await resolver.manifest(of: .hub(reference), withProjector: random.oneIn(2)))
        } catch is ModelStoreError {}
    }

    private func readManifest(_ random: inout SplitMix64) async throws {
        let client = OneAnswer(HTTPAnswer(status: 200, body: json(Self.manifest, &random)))
        guard let url = URL(string: "https://h.example/a/m.json") else { return }
        do {
            let manifest = try await ModelResolver(hub: hub, client: client).manifest(of: .web(url))
            try check(manifest)
            for case .web(let source) in manifest.files.flatMap(\.sources)
            where url.refusal(ofSendingTo: source) != nil {
                throw FuzzFailure("A manifest of the web leads to \(source).")
            }
        } catch is ModelStoreError {}
    }

    private func check(_ manifest: ModelManifest) throws {
        let sum = manifest.files.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        guard sum <= .limit, !manifest.files.isEmpty, manifest.files.count <= 1_000 else {
            throw FuzzFailure("\(manifest.files.count) files have \(sum).")
        }
        for file in manifest.files where file.name.isEmpty || file.name.contains("/") || file.name.hasPrefix(".") {
            throw FuzzFailure("A file is named \(file.name).")
        }
    }

    private func readHead(_ random: inout SplitMix64) throws {
        let response = DownloadResponse(status: random.int(0...999), headers: HTTPHeaders(head(&random)))
        if let range = response.range {
            guard range.lowerBound >= 0, !range.isEmpty,
                range.upperBound <= (response.totalByteCount ?? .limit).bytes
            else { throw FuzzFailure("\(range) of \(String(describing: response.totalByteCount))") }
        }
        for text in [response.validator.etag, response.validator.lastModified].compactMap(\.self)
        where !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            throw FuzzFailure("The validator \(text.debugDescription) cannot be sent back.")
        }
        _ = RetryPolicy().delay(failures: random.int(0...10), requested: response.retryAfter)
    }

    private func readName(_ random: inout SplitMix64) throws {
        let name = text(random.mutated(Array("model-Q4_0-00001-of-00002.gguf".utf8), changes: 8, with: Self.pieces))
        if FileName.fault(in: name) == nil {
            let url = URL(filePath: "/a/b").appending(path: name, directoryHint: .notDirectory)
            guard url.deletingLastPathComponent().path == "/a/b", url.lastPathComponent == name else {
                throw FuzzFailure("The name \(name.debugDescription) leads to \(url.path).")
            }
        }
        guard let size = ByteSize(number(&random)) else { return }
        if size > .limit { throw FuzzFailure("\(size)") }
    }

    private func readAddress(_ random: inout SplitMix64) throws {
        let text = text(random.mutated(random.pick(Self.addresses), with: Self.pieces))
        if let reference = try? ModelReference(parsing: text) {
            _ = "\(reference)"
        }
        if let url = URL(string: text), let origin = URL(string: "https://h.example/"),
            origin.refusal(ofSendingTo: url) == nil, !["http", "https"].contains(url.scheme?.lowercased() ?? "")
        {
            throw FuzzFailure("The web may send to \(url).")
        }
        if let url = URL(string: text) { _ = url.redacted }
    }

    private func readJournal(_ random: inout SplitMix64) throws {
        var bytes = Array(json(journal, &random))
        bytes += Array(repeating: 0x20, count: max(0, 4_096 - bytes.count))
        for _ in 0..<(random.oneIn(4) ? random.int(0...40) : 20) {
            let number = random.oneIn(2) ? UInt64(random.int(0...120)) : random.hostileInteger()
            withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
        }
        let size = ByteSize(clamping: random.oneIn(2) ? 1_000 : random.hostileInteger())
        guard let (identity, written) = DownloadJournal.read(Data(bytes), for: size) else { return }
        let plan = ChunkPlan(byteCount: identity.byteCount, chunkSize: identity.chunkSize, written: written)
        guard let plan, plan.received >= 0, plan.received <= identity.byteCount.bytes, plan.prefix <= plan.received
        else { throw FuzzFailure("The journal \(identity) has \(written).") }
    }

    private func plan(_ random: inout SplitMix64) throws {
        let byteCount = ByteSize(clamping: random.hostileInteger())
        // Few chunks, so that a case stays short.
        let least = byteCount.bytes / 256 + 1
        let chunkSize = ByteSize(clamping: random.oneIn(4) ? random.int(0...64) : Int(least) + random.int(0...1_000))
        guard byteCount.bytes / max(chunkSize.bytes, 1) < 1_024,
            var plan = ChunkPlan(byteCount: byteCount, chunkSize: chunkSize)
        else { return }
        for _ in 0..<8 {
            guard let part = plan.take() else { break }
            guard part.range.lowerBound >= 0, !part.range.isEmpty, part.range.upperBound <= byteCount.bytes else {
                throw FuzzFailure("The part \(part.range) of \(byteCount)")
            }
            plan.advance(part.chunk, by: Int64(truncatingIfNeeded: random.hostileInteger()))
            plan.release(part.chunk)
        }
        guard plan.received <= byteCount.bytes, plan.prefix <= plan.received else {
            throw FuzzFailure("\(plan.received) of \(byteCount)")
        }
    }

    private func readStored(_ random: inout SplitMix64) {
        guard let manifest = try? JSONDecoder().decode(ModelManifest.self, from: json(Self.stored, &random)) else {
            return
        }
        _ = manifest.files.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        _ = manifest.localFile
    }

    private func readBeginning(_ random: inout SplitMix64) async throws {
        var headers = HTTPHeaders([:])
        headers["Content-Range"] = "bytes \(random.oneIn(8) ? 1 : 0)-\(model.count - 1)/\(number(&random))"
        if random.oneIn(4) { headers["Content-Range"] = nil }
        let body = random.oneIn(2) ? model : random.mutated(model)
        let answer = HTTPAnswer(status: random.oneIn(4) ? 200 : 206, headers: headers, body: Data(body))
        guard let url = URL(string: "https://h.example/m.gguf") else { return }
        let files = [ManifestFile(name: "m.gguf", byteCount: random.oneIn(2) ? nil : 1_000, sources: [.web(url)])]
        do {
            let file = try await ModelResolver(hub: hub, client: OneAnswer(answer)).header(
                of: ModelManifest(name: "m", origin: "m", files: files))
            guard file.byteCount >= 0, file.byteCount <= ByteSize.limit.count else {
                throw FuzzFailure("The file has \(file.byteCount) bytes.")
            }
        } catch is ModelStoreError {} catch is ModelFileError {}
    }

    /// Fetches from a server that answers each request in another way; what is in the store then is what was meant.
    private func fetch(_ random: inout SplitMix64) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let answers = (0..<6).map { _ -> MutatingServer.Answer in
            let isHonest = random.oneIn(2)
            return MutatingServer.Answer(
                status: isHonest ? nil : random.pick([200, 206, 302, 404, 416, 500]),
                headers: isHonest ? [:] : head(&random), length: random.oneIn(3) ? random.int(0...model.count) : nil)
        }
        var store = ModelStore(directory: directory.url, client: MutatingServer(contents: model, answers: answers))
        store.downloading.connections = random.int(1...3)
        store.downloading.chunkSize = ByteSize(clamping: random.int(4_000...40_000))
        store.downloading.retries.attempts = 2
        store.downloading.retries.firstDelay = .zero
        store.downloading.retries.longestRequestedDelay = .zero
        guard let url = URL(string: "https://h.example/m.gguf") else { return }
        let files = [ManifestFile(name: "m.gguf", sources: [.web(url)])]
        do {
            let installed = try await store.install(ModelManifest(name: "m", origin: "m", files: files))
            guard try Data(contentsOf: installed.url).count == installed.byteCount.count,
                try store.verify(installed).isSound
            else { throw FuzzFailure("What is in the store is not what its manifest says.") }
        } catch is ModelStoreError {
            guard store.list().isEmpty else { throw FuzzFailure("A model that could not be fetched is there.") }
        }
    }
}

/// An HTTP client with one response.
private struct OneAnswer: HTTPClient {
    let page: HTTPAnswer

    init(_ page: HTTPAnswer) {
        self.page = page
    }

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        try await use(HTTPResponse(status: page.status, headers: page.headers, body: HTTPBody([page.body])))
    }
}

/// A server of one file, whose answers are not all honest.
private final class MutatingServer: HTTPClient {
    struct Answer: Sendable {
        /// Nil for the right one.
        var status: Int?
        /// In place of the right ones.
        var headers: [String: String]
        /// How much of the body is sent; nil for all.
        var length: Int?
    }

    private let contents: [UInt8]
    private let answers: [Answer]

    init(contents: [UInt8], answers: [Answer]) {
        self.contents = contents
        self.answers = answers
    }

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let ends = request.headers["Range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        let start = ends?.first ?? 0
        let answer = answers[(start / 4_000) % answers.count]
        let end = min(ends?.last.map { $0 + 1 } ?? contents.count, contents.count)
        var headers = ["Content-Length": "\(max(0, end - start))"]
        if ends != nil { headers["Content-Range"] = "bytes \(start)-\(end - 1)/\(contents.count)" }
        headers.merge(answer.headers) { $1 }
        let body = Data(contents[min(start, end)..<end].prefix(answer.length ?? contents.count))
        return try await use(
            HTTPResponse(
                status: answer.status ?? (ends == nil ? 200 : 206), headers: HTTPHeaders(headers),
                body: HTTPBody([body])))
    }
}
