// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
import ParleyFiles
public import ParleyHTTP
import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
public import ParleySystem

/// The models on this machine: installs, finds, lists, verifies and removes them.
///
/// ```swift
/// let store = ModelStore.standard()
/// let model = try await store.install("hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
/// ```
///
/// Each file is stored once, under its SHA-256 digest, however many models share it. Several stores, in one process or
/// in many, may use the same directory at the same time. A file in it is complete, and never changes once it has its
/// final name.
public struct ModelStore: Sendable {
    /// The directory with the models.
    public let directory: URL
    /// The models that can be installed by name.
    public let catalog: Catalog
    /// The maximum total size of all models' files; nil for no limit.
    public var quota: ByteSize? {
        didSet { quotaFault = nil }
    }
    /// The error for an invalid limit in the environment. It is thrown by whatever needs the limit, until ``quota`` is
    /// set.
    private(set) var quotaFault: ModelStoreError?
    let client: any HTTPClient
    let packageFetcher: (any PackageFetcher)?
    /// How files are downloaded.
    package var downloading = DownloadSettings()
    /// The address of the Hugging Face hub and the token for it. The environment is not read unless it is passed in.
    public var hub = HubEndpoint()
    /// Logs the beginning, the progress, failures and the end of downloads; silent by default. Credentials are never
    /// logged.
    public var logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }
    /// The free space on the disk of a directory; nil where it is unknown.
    package var freeSpace: @Sendable (URL) -> ByteSize? = { directory in
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory.path)
        return (attributes?[.systemFreeSize] as? NSNumber).map { ByteSize(clamping: $0.uint64Value) }
    }
    /// Renames a file or directory, replacing an empty directory of the new name; returns 0, or -1 with `errno` set.
    package var move: @Sendable (_ source: URL, _ destination: URL) -> Int32 = { rename($0.path, $1.path) }

    /// Creates a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: the directory of the models; it is created when the first one is installed.
    ///   - catalog: the models that can be installed by name.
    ///   - quota: the maximum total size of all files; nil for no limit.
    ///   - client: downloads files over HTTP.
    ///   - packageFetcher: downloads files that are contained in Python packages; without it, such sources are skipped.
    public init(
        directory: URL, catalog: Catalog = .builtIn, quota: ByteSize? = nil,
        client: any HTTPClient = URLSessionClient(), packageFetcher: (any PackageFetcher)? = nil
    ) {
        self.directory = directory
        self.catalog = catalog
        self.quota = quota
        self.client = client
        self.packageFetcher = packageFetcher
    }

    /// The store in Parley's data directory, `models/` in ``dataDirectory(environment:)``.
    ///
    /// `PARLEY_MODELS_QUOTA` limits its size (`20GB`). If the value is not a size, installing throws an error that says
    /// so until a ``quota`` is set. `HF_ENDPOINT` names a mirror of the hub, and `HF_TOKEN` gives access to gated
    /// repositories.
    public static func standard(
        environment: ProcessEnvironment = .process,
        packageFetcher: (any PackageFetcher)? = nil
    ) -> ModelStore {
        var store = ModelStore(
            directory: dataDirectory(environment: environment).appending(path: "models", directoryHint: .isDirectory),
            client: URLSessionClient(environment: environment), packageFetcher: packageFetcher)
        if let text = environment["PARLEY_MODELS_QUOTA"] {
            store.quota = ByteSize(text)
            if store.quota == nil { store.quotaFault = invalidQuota(text) }
        }
        store.hub = HubEndpoint(environment: environment)
        return store
    }

    private static func invalidQuota(_ text: String) -> ModelStoreError {
        ModelStoreError(
            .invalidQuota,
            "PARLEY_MODELS_QUOTA is \(String(reflecting: String(text.prefix(40)))), which is not a size. Write "
                + "it as 20GB, 1.5 GiB or a number of bytes, or unset it for no limit.")
    }

    /// Parley's data directory: `PARLEY_HOME` if set, otherwise the platform's default for application data.
    public static func dataDirectory(environment: ProcessEnvironment) -> URL {
        if let home = environment["PARLEY_HOME"] {
            return URL(filePath: home, directoryHint: .isDirectory)
        }
        return platformDataDirectory(environment: environment)
    }

    var layout: StoreLayout { StoreLayout(root: directory) }

    /// The models in the store, sorted by name. Directories without a valid model are skipped.
    public func list() -> [InstalledModel] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.entries.path)) ?? []
        let usage = UsageIndex.read(from: layout.index)
        return Set(names.map(StoreLayout.entryName(ofDirectory:))).compactMap { model(inEntry: $0, usage) }.sorted {
            $0.name < $1.name
        }
    }

    /// The model with a name (case does not matter), if it is in the store with all its files.
    public func model(named name: String) -> InstalledModel? {
        model(inEntry: StoreLayout.entryName(of: name), UsageIndex.read(from: layout.index))
    }

    /// The model whose directory has this name, or had it until a replacement began.
    private func model(inEntry entry: String, _ usage: UsageIndex?) -> InstalledModel? {
        let directory = layout.entries.appending(path: entry, directoryHint: .isDirectory)
        // Between looking for the model and for the one that it replaces, another process may have replaced it.
        return model(in: directory, named: entry, usage: usage)
            ?? model(in: layout.replaced(entry), named: entry, usage: usage)
            ?? model(in: directory, named: entry, usage: usage)
    }

    private func model(in directory: URL, named entry: String, usage: UsageIndex?) -> InstalledModel? {
        let url = directory.appending(path: StoreLayout.manifestName, directoryHint: .notDirectory)
        guard let data = try? WholeFile.contents(of: url, limit: StoreLayout.longestManifest),
            let manifest = try? JSONDecoder().decode(ModelManifest.self, from: data),
            !manifest.files.isEmpty, manifest.files.allSatisfy({ StoreLayout.fault(inFileName: $0.name) == nil }),
            StoreLayout.entryName(of: manifest.name) == entry
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

    /// Records when a model was used, for finding the least recently used ones. Failing to record it is not an error.
    public func markUsed(_ name: String, at date: Date = Date()) {
        let models = list()
        let key = StoreLayout.entryName(of: name)
        guard models.contains(where: { StoreLayout.entryName(of: $0.name) == key }) else { return }
        // The index is rebuilt from the installed models, which repairs a damaged one and drops removed models.
        var index = UsageIndex()
        for model in models { index.lastUsed[StoreLayout.entryName(of: model.name)] = model.lastUsed }
        index.lastUsed[key] = date
        try? index.write(to: layout.index)
    }

    /// Finds a model on this machine, without using the network: in the store, by its name or by the address it was
    /// installed from, or as a file at a path. A path means what is there now, whatever was imported from it.
    ///
    /// - Parameter model: a name, an address or a path; see ``ModelReference/init(parsing:)``.
    /// - Returns: the model; nil where it would have to be installed first.
    /// - Throws: ``ModelStoreError`` with code `invalidReference`, `unknownModel`, `invalidManifest` or `fileNotFound`;
    ///   the last one also for an imported model whose file outside the store no longer exists; `storageFailed` for a
    ///   name or an address where the store cannot be read.
    public func find(_ model: String) throws -> StoredModel? {
        let reference = try ModelReference(parsing: model)
        if let found = try locate(reference, model) { return found }
        try checkReadable(for: reference)
        switch reference {
        case .catalog(let name, _):
            if catalog[name] == nil { throw unknownModel(name) }
        case .file(let url):
            let manifest = try ModelResolver(catalog: catalog, hub: hub, client: client).fileManifest(url)
            return manifest.localFile.map { StoredModel(url: $0, manifest: manifest) }
                ?? present(manifest).map { StoredModel($0) }
        case .hub, .web, .pythonPackage: break
        }
        return nil
    }

    /// Throws where the store cannot be read, so that it is not known whether it has a model that is no file.
    func checkReadable(for reference: ModelReference) throws {
        if case .file = reference { return }
        try checkReadable()
    }

    /// The model for a reference if it is on this machine; nil also for references that no local model can match.
    func locate(_ reference: ModelReference, _ text: String) throws -> StoredModel? {
        if case .catalog(let name, let quantization) = reference, let entry = catalog[name] {
            return locate(entry, quantization ?? entry.quantization)
        }
        if case .file(let url) = reference, Self.isModel(at: url) {
            // The files that a manifest names may be in the store.
            return url.pathExtension.lowercased() == "json" ? nil : StoredModel(url: url)
        }
        let (origin, name) = (reference.description, text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
        let models = list()
        let isPath = if case .file = reference { true } else { false }
        // The hub ignores the case of a repository and a quantisation, but not that of a file.
        let ignoresCase = if case .hub(let hub) = reference, hub.file != nil { false } else { true }
        let meant = models.first { model in
            guard model.isComplete else { return false }
            if model.name.lowercased() == name { return true }
            // What was imported from a path is not what is there now.
            if isPath { return false }
            let hubName = "hf:\(model.name)"
            return model.manifest.origin == origin || hubName == origin
                || ignoresCase && hubName.lowercased() == origin.lowercased()
        }
        if let meant { return StoredModel(meant) }
        if let gone = models.first(where: { $0.name.lowercased() == name }) { try refuse(gone) }
        guard case .catalog(_, nil) = reference else { return nil }
        let file = URL(filePath: text, directoryHint: .notDirectory)
        return Self.isModel(at: file) ? StoredModel(url: file) : nil
    }

    /// Whether a path is that of a file, or of a folder in the form of one of the formats.
    private static func isModel(at url: URL) -> Bool {
        RegularFile.size(of: url) != nil || ModelFormat.directories.contains { $0.isFormat(of: url) }
    }

    /// Finds a model of the catalog.
    private func locate(_ entry: CatalogEntry, _ quantization: String) -> StoredModel? {
        let name = entry.name(of: quantization)
        guard let model = model(named: name), model.isComplete, isMeant(model.manifest, by: entry, quantization) else {
            return nil
        }
        return StoredModel(model, entry: entry)
    }

    /// Whether an installed model with the name of one in the catalog is that one, and not a file that was imported
    /// under its name.
    func isMeant(_ manifest: ModelManifest, by entry: CatalogEntry, _ quantization: String) -> Bool {
        if manifest.origin == manifest.name { return true }
        let expected = entry.files.first { $0.quantization == quantization }?.sha256
        return expected != nil && manifest.files.first?.sha256 == expected
    }

    /// Throws where a file that was imported by reference no longer exists.
    private func refuse(_ model: InstalledModel) throws {
        let files = model.references.map(model.url)
        guard let file = files.first(where: { !FileManager.default.fileExists(atPath: $0.path) }) else { return }
        throw ModelStoreError(
            .fileNotFound,
            "\(model.name) was imported by reference, and its file is no longer at "
                + "\(Self.destination(of: file)). Put it back, or remove the model with "
                + "\(ShellCommand("parley models remove", model.name)).")
    }
}
