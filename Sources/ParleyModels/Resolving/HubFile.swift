// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile

/// A file of a repository, as the hub lists it.
struct HubFile: Hashable, Sendable {
    /// Its path in the repository.
    var path: String
    /// Its size.
    var byteCount: ByteSize?
    /// Its SHA-256 digest, which the hub knows for large files.
    var sha256: String?

    /// The last component of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isModel: Bool { path.lowercased().hasSuffix(".gguf") }
    /// Whether it turns images into what a language model reads.
    var isProjector: Bool { isModel && name.lowercased().contains("mmproj") }

    /// The place of a part in a split file, `-00001-of-00003.gguf`, and the path without it.
    var part: (stem: String, number: Int, count: Int)? {
        let fields = path.dropLast(".gguf".count).split(separator: "-", omittingEmptySubsequences: false)
        guard isModel, fields.count > 3, fields[fields.count - 2] == "of",
            fields.suffix(3).allSatisfy({ $0.count == 5 || $0 == "of" }),
            let number = Int(fields[fields.count - 3]), let count = Int(fields[fields.count - 1]), count > 0,
            (1...count).contains(number)
        else { return nil }
        return (fields.dropLast(3).joined(separator: "-"), number, count)
    }
}
