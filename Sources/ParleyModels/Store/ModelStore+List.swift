// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyModelFile

extension ModelStore {
    /// The models in the store, by name. Directories that hold no model are passed over.
    public func installed() -> [InstalledModel] {
        adoptEarlierFiles()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.entries.path)) ?? []
        let usage = UsageIndex.read(from: layout.index)
        return Set(names.map(StoreLayout.entryName)).compactMap { installed($0, usage) }.sorted { $0.name < $1.name }
    }

    /// The model of that name, whatever its case, where it is in the store with all its files.
    public func installed(_ name: String) -> InstalledModel? {
        installed(EntryName.escape(name), UsageIndex.read(from: layout.index))
    }

    /// The model whose directory has that name, or had it until another began to take its place.
    private func installed(_ entry: String, _ usage: UsageIndex?) -> InstalledModel? {
        installed(in: layout.entries.appending(path: entry, directoryHint: .isDirectory), named: entry, usage: usage)
            ?? installed(in: layout.replaced(entry), named: entry, usage: usage)
    }

    private func installed(in directory: URL, named entry: String, usage: UsageIndex?) -> InstalledModel? {
        let url = directory.appending(path: StoreLayout.manifestName, directoryHint: .notDirectory)
        guard let data = RegularFile.contents(of: url, limit: StoreLayout.longestManifest),
            let manifest = try? JSONDecoder().decode(ModelManifest.self, from: data),
            !manifest.files.isEmpty, manifest.files.allSatisfy({ FileName.fault(in: $0.name) == nil }),
            EntryName.escape(manifest.name) == entry
        else { return nil }
        let added = try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
        let references = manifest.files.map(\.name).filter { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: directory.appending(path: name, directoryHint: .notDirectory).path)
            return target?.hasPrefix("/") == true
        }
        return InstalledModel(
            manifest: manifest, directory: directory,
            lastUsed: usage?.lastUsed[entry] ?? added ?? .distantPast, references: references)
    }

    /// Notes that a model is used now, by which the least recently used ones are known. Failing to is no error.
    public func markUsed(_ name: String, at date: Date = Date()) {
        let models = installed()
        let key = EntryName.escape(name)
        guard models.contains(where: { EntryName.escape($0.name) == key }) else { return }
        // A damaged index is made anew from what the models themselves tell; what is gone leaves it.
        var index = UsageIndex()
        for model in models { index.lastUsed[EntryName.escape(model.name)] = model.lastUsed }
        index.lastUsed[key] = date
        try? index.write(to: layout.index)
    }
}

extension InstalledModel {
    /// Whether each file is there with the size it should have.
    var isComplete: Bool {
        manifest.files.allSatisfy { file in
            guard let size = RegularFile.size(of: url(of: file.name)) else { return false }
            return file.byteCount == nil || file.byteCount == size
        }
    }
}
