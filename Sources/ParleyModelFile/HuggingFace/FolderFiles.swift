// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON

/// The files that a folder in the form of Hugging Face consists of.
package enum FolderFiles {
    /// The files beside the weights, of which every folder has the first two.
    package static let descriptions = [
        "config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json",
    ]
    /// The number of ``descriptions`` that every folder has.
    package static let requiredCount = 2
    /// The largest `config.json` or index that is read before a folder is fetched, in bytes.
    package static let longestDocument = 32 << 20

    /// The names of a folder's files: the descriptions that it has, the index of the weights, the weights.
    ///
    /// - Throws: ``ModelFileError`` if there is no `config.json` or `tokenizer.json`, or the index is damaged. Weights
    ///   that are missing are named all the same.
    package static func names(in folder: URL) throws(ModelFileError) -> [String] {
        func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.appending(path: name).path) }
        for name in descriptions.prefix(requiredCount) where !has(name) {
            throw ModelFileError(.unreadable, "\(folder.path): there is no \(name).")
        }
        let names = descriptions.filter(has)
        guard has(SafetensorsFile.indexName) else { return names + [SafetensorsFile.fileName] }
        let index = try SafetensorsIndex(FileBytes(path: folder.appending(path: SafetensorsFile.indexName).path))
        return names + [SafetensorsFile.indexName] + index.files
    }

    /// The names of the files that an index of weights lists, sorted.
    ///
    /// - Throws: ``ModelFileError`` with code `corrupt`.
    package static func weights(inIndex bytes: [UInt8], name: String) throws(ModelFileError) -> [String] {
        try SafetensorsIndex(FileBytes(bytes[...], name: name)).files
    }

    /// Throws an error unless folders with such a `config.json` are read, as far as that file tells.
    ///
    /// - Throws: ``ModelFileError`` with code `corrupt` or `unsupportedModel`.
    package static func check(configuration bytes: [UInt8], name: String) throws(ModelFileError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: FolderDocument.settings)
        } catch {
            throw ModelFileError(.corrupt, "\(name): \(error) Download the file again.", cause: error)
        }
        let config = FolderConfiguration(value, fileName: name)
        let family = try ModelFolder.family(of: config)
        _ = try family.entries(try family.textConfiguration(config))
        _ = try FolderQuantization.read(from: config)
    }
}
