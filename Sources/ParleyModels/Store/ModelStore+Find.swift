// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelStore {
    /// Finds a model by its name in the store or the catalog, or by path.
    ///
    /// What contains a slash or ends in `.gguf` is a path, unless the store has a model of that name; anything else is a
    /// name, or a file that happens to be there.
    ///
    /// - Throws: ``ModelStoreError`` with code `unknownModel` or `fileNotFound`. That a known model has not been fetched
    ///   yet is not an error; `isPresent` says so.
    public func find(_ model: String) throws -> StoredModel {
        let entry = catalog[model]
        if let entry { return find(entry) }
        if let installed = installed(model), installed.isComplete { return StoredModel(installed) }
        let path = NSString(string: model).expandingTildeInPath
        var isDirectory: ObjCBool = false
        if !path.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            guard !isDirectory.boolValue else {
                throw ModelStoreError(
                    code: .fileNotFound, message: "\(model) is a directory. Name a .gguf file inside it.")
            }
            return StoredModel(url: URL(filePath: path, directoryHint: .notDirectory), isPresent: true)
        }
        if model.contains("/") || model.lowercased().hasSuffix(".gguf") {
            throw ModelStoreError(code: .fileNotFound, message: "There is no file \(model). Check the path.")
        }
        throw catalog.unknown(model, others: installed().map(\.name).filter { catalog[$0] == nil })
    }

    /// Finds a model of the catalog, also where an earlier version has put it.
    func find(_ entry: CatalogEntry) -> StoredModel {
        if let installed = installed(entry.name), installed.isComplete { return StoredModel(installed, entry: entry) }
        if adoptEarlierFile(of: entry), let installed = installed(entry.name) {
            return StoredModel(installed, entry: entry)
        }
        let file = entry.manifest(hub: hub)?.files.first
        let earlier = earlierFile(of: entry)
        if let byteCount = file?.byteCount, RegularFile.ownSize(of: earlier) == byteCount {
            return StoredModel(url: earlier, entry: entry, isPresent: true)
        }
        let url = layout.entry(entry.name).appending(path: file?.name ?? "", directoryHint: .notDirectory)
        return StoredModel(url: url, entry: entry, isPresent: false)
    }
}
