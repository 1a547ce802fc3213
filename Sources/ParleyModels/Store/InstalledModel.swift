// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile

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
