// SPDX-License-Identifier: Apache-2.0

/// The models that can be asked for by name.
///
/// ```swift
/// let entry = Catalog.builtIn["qwen3-0.6b"]
/// ```
public struct Catalog: Sendable {
    /// The models, the default one first.
    public var entries: [CatalogEntry]

    /// Creates a catalog.
    public init(entries: [CatalogEntry]) {
        self.entries = entries
    }

    /// The model used where none is named.
    public var defaultEntry: CatalogEntry? { entries.first }

    /// The model of that name, whatever its case.
    public subscript(name: String) -> CatalogEntry? {
        let name = name.lowercased()
        return entries.first { $0.name.lowercased() == name }
    }

    /// The error for an unknown name, which may suggest `others` beside the catalog's.
    func unknown(_ name: String, others: [String] = []) -> ModelStoreError {
        let meant = nearestName(to: name).map { " Did you mean \($0)?" } ?? ""
        return ModelStoreError(
            .unknownModel,
            "There is no model named \(name.isEmpty ? "“”" : name).\(meant)\nKnown names: "
                + (entries.map(\.name) + others.filter { self[$0] == nil }).joined(separator: ", ")
                + "; or give hf:OWNER/REPO, an address, or the path of a .gguf file.")
    }

    /// The known name that is most likely meant by a misspelt one, where there is one near enough.
    public func nearestName(to name: String) -> String? {
        nearestNames(to: name, among: entries.map(\.name)).first
    }
}
