// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelStore {
    /// Finds a model by catalog name or by path.
    ///
    /// What contains a slash or ends in `.gguf` is a path; anything else is a name, or a file that happens to be there.
    ///
    /// - Throws: ``ModelStoreError`` with code `unknownModel` or `fileNotFound`. That a known model has not been fetched
    ///   yet is not an error; `isPresent` says so.
    public func find(_ model: String) throws -> StoredModel {
        if let entry = catalog[model] {
            return StoredModel(url: url(of: entry), entry: entry, isPresent: isPresent(entry))
        }
        let path = NSString(string: model).expandingTildeInPath
        var isDirectory: ObjCBool = false
        if !path.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            guard !isDirectory.boolValue else {
                throw ModelStoreError(
                    code: .fileNotFound, message: "\(model) is a directory. Name a .gguf file inside it.")
            }
            return StoredModel(url: URL(filePath: path, directoryHint: .notDirectory), entry: nil, isPresent: true)
        }
        if model.contains("/") || model.lowercased().hasSuffix(".gguf") {
            throw ModelStoreError(
                code: .fileNotFound, message: "There is no file \(model). Check the path; \(knownNames).")
        }
        let meant = catalog.nearestName(to: model).map { " Did you mean \($0)?" } ?? ""
        throw ModelStoreError(
            code: .unknownModel,
            message: "There is no model named \(model.isEmpty ? "“”" : model).\(meant)\nGive the path of a .gguf file "
                + "or a known name; \(knownNames).")
    }

    private var knownNames: String {
        "known names: " + catalog.entries.map(\.name).joined(separator: ", ")
    }
}
