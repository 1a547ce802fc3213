// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyModelFile
import ParleyModels
import ParleyRuntime
import ParleySystem
import ParleyTesting
import ParleyTestSupport

/// A file as a well-behaved server has it.
struct ServedFile: Sendable {
    var contents: Data
    var etag: String? = "\"one\""
    var lastModified: String?
    var acceptsRanges = true

    /// A file of bytes that differ from each other and, with another seed, from those of other files.
    init(count: Int = 100_000, seed: UInt64 = 1) {
        var random = SplitMix64(seed: seed)
        contents = Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }

    init(_ contents: Data) {
        self.contents = contents
    }

    /// The digest of the file.
    var sha256: String {
        SHA256Hash.hexadecimal(of: contents)
    }

    /// The right answer to a request.
    func reply(to request: WebServerRequest) -> WebServerReply {
        var headers: [String: String] = [:]
        headers["ETag"] = etag
        headers["Last-Modified"] = lastModified
        let isUnchanged = request.headers["if-range"].map { $0 == etag || $0 == lastModified } ?? true
        guard acceptsRanges, isUnchanged, let range = request.range(of: contents.count) else {
            return WebServerReply(200, headers: headers, body: contents)
        }
        headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(contents.count)"
        return WebServerReply(206, headers: headers, body: contents[range])
    }

    /// A model that consists of this file alone.
    func manifest(_ sources: URL..., name: String = "tiny", isPinned: Bool = true) -> ModelManifest {
        ModelManifest(
            name: name, origin: name,
            files: [
                ManifestFile(
                    name: "tiny.gguf", byteCount: isPinned ? ByteSize(clamping: contents.count) : nil,
                    sha256: isPinned ? sha256 : nil, sources: sources.map(ModelSource.web))
            ])
    }
}

extension ServedFile {
    /// A real model in parts, `big-00001-of-0000N.gguf` and so on, in a directory.
    static func parts(in directory: TemporaryDirectory) throws -> [(url: URL, file: ServedFile)] {
        let writer = TinyModel().writer()
        let urls = try writer.writeParts(
            tensorsPerPart: (writer.tensors.count + 2) / 3, named: "big", in: directory.url)
        return try urls.map { ($0, ServedFile(try Data(contentsOf: $0))) }
    }

    /// A real model file, a little over 100,000 bytes.
    static func model(seed: UInt64 = 1) -> ServedFile {
        var model = TinyModel()
        model.seed = seed
        return ServedFile(Data(model.writer().encoded()))
    }
}
