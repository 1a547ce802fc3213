// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyModelFile
public import ParleySampling
public import ParleySystem

/// A model on this machine: its file, and what is known about it.
public struct StoredModel: Sendable {
    /// The file to load, or the folder.
    public var url: URL
    /// The catalog's entry, if the model was requested by a name in the catalog.
    public var entry: CatalogEntry?
    /// The model's files, if it is in the store.
    public var manifest: ModelManifest?

    /// The name for messages: the name in the store, else in the catalog, else of the file.
    public var name: String { manifest?.name ?? entry?.name ?? url.lastPathComponent }

    /// The recommended sampling, used for the settings that the model's file does not contain.
    public var sampling: SamplingOptions { manifest?.sampling ?? entry?.sampling ?? SamplingOptions() }

    /// The projector file (`mmproj`), if the model was installed with one.
    public var projector: URL? {
        let file = manifest?.files.first { $0.role == .projector }
        return file.map { url.deletingLastPathComponent().appending(path: $0.name, directoryHint: .notDirectory) }
    }

    /// What identifies the model's weights: the SHA-256 digests of their files, which are computed if they are not known.
    ///
    /// - Throws: the error of reading the file, or `CancellationError`.
    package func weightsDigest() throws -> String {
        let known = manifest?.files.filter { $0.role == .weights || $0.role == .folder }.map(\.sha256) ?? []
        if !known.isEmpty, !known.contains(nil) { return known.compactMap(\.self).joined(separator: " ") }
        let files =
            try ModelFormat.huggingFace.isFormat(of: url)
            ? FolderFiles.names(in: url).map { url.appending(path: $0, directoryHint: .notDirectory) }
            : SplitName.files(of: url)
        return try files.map { try sha256(of: $0) }.joined(separator: " ")
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
    /// The model's files and where they came from.
    public var manifest: ModelManifest
    /// The directory that contains its files under their own names.
    public var directory: URL
    /// When the model was last used, or installed if it has not been used.
    public var lastUsed: Date
    /// The names of those files that are outside the store and only referred to.
    public var references: [String]

    /// The name of the model in the store.
    public var name: String { manifest.name }
    /// The file to load, or the folder.
    public var url: URL { manifest.isFolder ? directory : url(of: manifest.files.first?.name ?? "") }
    /// The total size of its files.
    public var byteCount: ByteSize { manifest.files.reduce(.zero) { $0 + ($1.byteCount ?? .zero) } }

    /// The location of one of its files.
    public func url(of file: String) -> URL {
        directory.appending(path: file, directoryHint: .notDirectory)
    }
}

extension InstalledModel {
    /// Whether all files exist with their expected sizes.
    var isComplete: Bool {
        manifest.files.allSatisfy { file in
            guard let size = RegularFile.size(of: url(of: file.name)) else { return false }
            return file.byteCount == nil || file.byteCount == size
        }
    }
}
