// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A model that was asked for: a file, and what is known of it.
public struct StoredModel: Sendable {
    /// The file to load, which may not be there yet.
    public var url: URL
    /// The catalog's entry, for a model asked for by its name there.
    public var entry: CatalogEntry?
    /// What the model consists of, for one that is in the store.
    public var manifest: ModelManifest?
    /// Whether the file is there.
    public var isPresent: Bool

    /// The name for messages: the store's, the catalog's, or the file's.
    public var name: String { manifest?.name ?? entry?.name ?? url.lastPathComponent }

    /// What lets it see images, for a model that came with it.
    public var projector: URL? {
        let file = manifest?.files.first { $0.role == .projector }
        return file.map { url.deletingLastPathComponent().appending(path: $0.name, directoryHint: .notDirectory) }
    }

    init(url: URL, entry: CatalogEntry? = nil, manifest: ModelManifest? = nil, isPresent: Bool) {
        self.url = url
        self.entry = entry
        self.manifest = manifest
        self.isPresent = isPresent
    }

    init(_ installed: InstalledModel, entry: CatalogEntry? = nil) {
        self.init(url: installed.url, entry: entry, manifest: installed.manifest, isPresent: true)
    }
}
