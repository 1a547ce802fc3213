// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
package import ParleyJSON

/// A file of a folder that is read as a whole: JSON or a template.
package struct FolderDocument {
    /// The file's path, for messages.
    package let name: String
    private let file: FileBytes

    /// Opens a file; nil if there is none of that name.
    package init?(_ fileName: String, in folder: FolderLocation) throws(ModelFileError) {
        guard let file = try folder.file(fileName) else { return nil }
        self.file = file
        name = file.name
    }

    /// Opens a file of a directory; nil if there is none of that name.
    package init?(_ fileName: String, in folder: URL) throws(ModelFileError) {
        try self.init(fileName, in: .directory(folder))
    }

    /// The bounds of `tokenizer.json`: the largest vocabularies have 35 MB, and about two million values.
    package static let vocabulary = JSONLimits(depth: 64, bytes: 1 << 27, values: 1 << 23, requiresDistinctNames: true)
    /// The bounds of all other files.
    package static let settings = JSONLimits(depth: 64, bytes: 1 << 24, values: 1 << 18)

    /// The JSON value in the file.
    package func json(_ limits: JSONLimits = settings) throws(ModelFileError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes(upTo: limits.bytes), limits: limits)
        } catch {
            throw ModelFileError(.corrupt, "\(name): \(error) Download the file again.", cause: error)
        }
    }

    /// The text of the file, if it is no longer than a template may be.
    func text() throws(ModelFileError) -> String {
        let bytes = bytes(upTo: MetadataValue.longestText)
        guard bytes.count <= MetadataValue.longestText, let text = String(validating: bytes, as: UTF8.self) else {
            throw .corrupt(name, "it is too long for a template, or not UTF-8")
        }
        return text
    }

    /// The bytes of the file, or one more than may be.
    private func bytes(upTo limit: Int) -> [UInt8] {
        file.withUnsafeBytes { Array($0.prefix(limit + 1)) }
    }
}
