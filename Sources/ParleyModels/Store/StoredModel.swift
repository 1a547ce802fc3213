// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile
public import ParleySampling

/// A model that was asked for: a file, and what is known of it.
public struct StoredModel: Sendable {
    /// The file to load.
    public var url: URL
    /// The catalog's entry, for a model asked for by its name there.
    public var entry: CatalogEntry?
    /// What the model consists of, for one that is in the store.
    public var manifest: ModelManifest?

    /// The name for messages: the store's, the catalog's, or the file's.
    public var name: String { manifest?.name ?? entry?.name ?? url.lastPathComponent }

    /// The sampling that suits it, for what its file leaves open.
    public var sampling: SamplingOptions { manifest?.sampling ?? entry?.sampling ?? SamplingOptions() }

    /// What lets it see images, for a model that came with it.
    public var projector: URL? {
        let file = manifest?.files.first { $0.role == .projector }
        return file.map { url.deletingLastPathComponent().appending(path: $0.name, directoryHint: .notDirectory) }
    }

    init(url: URL, entry: CatalogEntry? = nil, manifest: ModelManifest? = nil) {
        self.url = url
        self.entry = entry
        self.manifest = manifest
    }

    init(_ installed: InstalledModel, entry: CatalogEntry? = nil) {
        self.init(url: installed.url, entry: entry, manifest: installed.manifest)
    }
}

/// A model that is in a store.
public struct InstalledModel: Sendable, Hashable {
    /// What it consists of and where it came from.
    public var manifest: ModelManifest
    /// The directory with its files under their own names.
    public var directory: URL
    /// When it was last used, or put into the store.
    public var lastUsed: Date
    /// The names of files that are not the store's own but stay where they were.
    public var references: [String]

    /// The name it is asked for by.
    public var name: String { manifest.name }
    /// The file to load.
    public var url: URL { url(of: manifest.files.first?.name ?? "") }
    /// The size of its files.
    public var byteCount: ByteSize { manifest.files.reduce(.zero) { $0 + ($1.byteCount ?? .zero) } }

    /// Where one of its files is.
    public func url(of file: String) -> URL {
        directory.appending(path: file, directoryHint: .notDirectory)
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
