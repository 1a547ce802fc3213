// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ModelStore {
    /// The models in the store, by name. Directories that hold no model are passed over.
    public func installed() -> [InstalledModel] {
        adoptEarlierFiles()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.entries.path)) ?? []
        let usage = UsageIndex.read(from: layout.index)
        return names.compactMap { name in
            installed(in: layout.entries.appending(path: name, directoryHint: .isDirectory), usage: usage)
        }.sorted { $0.name < $1.name }
    }

    /// The model of that name, whatever its case, where it is in the store with all its files.
    public func installed(_ name: String) -> InstalledModel? {
        installed(in: layout.entry(name), usage: UsageIndex.read(from: layout.index))
    }

    private func installed(in directory: URL, usage: UsageIndex?) -> InstalledModel? {
        let url = directory.appending(path: StoreLayout.manifestName, directoryHint: .notDirectory)
        guard let data = try? Data(contentsOf: url),
            let manifest = try? JSONDecoder().decode(ModelManifest.self, from: data),
            !manifest.files.isEmpty, manifest.files.allSatisfy({ FileName.fault(in: $0.name) == nil }),
            EntryName.escape(manifest.name) == directory.lastPathComponent
        else { return nil }
        let added = try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
        let references = manifest.files.map(\.name).filter { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: directory.appending(path: name, directoryHint: .notDirectory).path)
            return target?.hasPrefix("/") == true
        }
        return InstalledModel(
            manifest: manifest, directory: directory,
            lastUsed: usage?.lastUsed[directory.lastPathComponent] ?? added ?? .distantPast, references: references)
    }

    /// Notes that a model is used now, by which the least recently used ones are known. Failing to is no error.
    public func markUsed(_ name: String, at date: Date = Date()) {
        let models = installed()
        let key = EntryName.escape(name)
        guard models.contains(where: { $0.directory.lastPathComponent == key }) else { return }
        // A damaged index is made anew from what the models themselves tell; what is gone leaves it.
        var index = UsageIndex()
        for model in models { index.lastUsed[model.directory.lastPathComponent] = model.lastUsed }
        index.lastUsed[key] = date
        try? index.write(to: layout.index)
    }
}

extension InstalledModel {
    /// Whether each file is there with the size it should have.
    var isComplete: Bool {
        manifest.files.allSatisfy { file in
            var isDirectory: ObjCBool = false
            let path = url(of: file.name).resolvingSymlinksInPath().path
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                return false
            }
            let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
            return file.byteCount == nil || size?.int64Value == file.byteCount
        }
    }
}
