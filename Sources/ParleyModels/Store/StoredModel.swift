// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A model that was asked for: a file, and what the catalog knows of it.
public struct StoredModel: Sendable {
    /// The file, which may not be there yet.
    public var url: URL
    /// The catalog's entry, for a model asked for by name.
    public var entry: CatalogEntry?
    /// Whether the file is there.
    public var isPresent: Bool

    /// The name for messages: the catalog's, or the file's.
    public var name: String { entry?.name ?? url.lastPathComponent }
}
