// SPDX-License-Identifier: Apache-2.0

/// The models that can be requested by name.
///
/// ```swift
/// let entry = Catalog.builtIn["qwen3-0.6b"]
/// ```
public struct Catalog: Sendable {
    /// The models; the first one is the default.
    public var entries: [CatalogEntry]

    /// Creates a catalog.
    public init(entries: [CatalogEntry]) {
        self.entries = entries
    }

    /// The model that is used when the user names none.
    public var defaultEntry: CatalogEntry? { entries.first }

    /// The model with a name; case does not matter.
    public subscript(name: String) -> CatalogEntry? {
        let name = name.lowercased()
        return entries.first { $0.name.lowercased() == name }
    }

    /// The error for an unknown name. It suggests similar names, from the catalog and from `others`.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - others: the names of further models.
    ///   - takesPaths: whether a path could be given instead.
    /// - Returns: the error.
    package func unknown(_ name: String, others: [String] = [], takesPaths: Bool = true) -> ModelStoreError {
        let known = entries.map(\.name) + others.filter { self[$0] == nil }
        let meant = nearestNames(to: name, among: known).first.map { " Did you mean \($0)?" } ?? ""
        return ModelStoreError(
            .unknownModel,
            "There is no model named \(name.isEmpty ? "“”" : name).\(meant)\nKnown names: "
                + known.joined(separator: ", ") + "; or give hf:OWNER/REPO"
                + (takesPaths
                    ? ", an address, or the path of a .gguf file or of a folder with a model, such as ./NAME."
                    : " or the address of a .gguf file."))
    }

    /// The name in the catalog that is most similar to a misspelt one; nil where none is similar enough.
    public func nearestName(to name: String) -> String? {
        nearestNames(to: name, among: entries.map(\.name)).first
    }
}
