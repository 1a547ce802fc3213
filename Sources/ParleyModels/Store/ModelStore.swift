// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
    /// The most bytes that the files of all models may take together; nil for no limit.
    public var quota: Int64?
    let downloader: any FileDownloader
    let packageFetcher: (any PackageFetcher)?
    /// How files are downloaded.
    package var downloading = DownloadSettings()
    /// Where the hub is, and the token for it; the environment does not count unless it is given.
    public var hub = HubEndpoint()
    /// The bytes that are free where a directory is; nil where nobody knows.
    package var freeSpace: @Sendable (URL) -> Int64? = { directory in
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory.path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    /// Creates a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: where the models are; created when the first one is fetched.
    ///   - catalog: the models known by name.
    ///   - quota: the most bytes that the files of all models may take together; nil for no limit.
    ///   - downloader: gets files from the web.
    ///   - packageFetcher: gets files out of Python packages; without it such sources are passed over.
    public init(
        directory: URL, catalog: Catalog = .builtIn, quota: Int64? = nil,
        downloader: any FileDownloader = URLSessionDownloader(), packageFetcher: (any PackageFetcher)? = nil
    ) {
        self.directory = directory
        self.catalog = catalog
        self.quota = quota
        self.downloader = downloader
        self.packageFetcher = packageFetcher
    }

    /// The store in Parley's data directory, `models/` in ``dataDirectory(environment:)``.
    ///
    /// `PARLEY_MODELS_QUOTA` limits it (`20GB`), `HF_ENDPOINT` names a mirror of the hub, and `HF_TOKEN` opens gated
    /// repositories there.
    public static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        packageFetcher: (any PackageFetcher)? = nil
    ) -> ModelStore {
        var store = ModelStore(
            directory: dataDirectory(environment: environment).appending(path: "models", directoryHint: .isDirectory),
            quota: environment["PARLEY_MODELS_QUOTA"].flatMap { ByteSize($0)?.bytes }, packageFetcher: packageFetcher)
        store.hub = HubEndpoint(environment: environment)
        return store
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
