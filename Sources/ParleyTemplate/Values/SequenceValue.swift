// SPDX-License-Identifier: Apache-2.0

/// A row of values: a list, a tuple, or one of the things Python iterates over without their being lists.
final class SequenceValue {
    enum Kind: Equatable {
        case list, tuple
        /// What `groupby` gives: a tuple whose two elements have names.
        case group
        case keys, values, pairs
        case range(start: Int, stop: Int, step: Int)
        /// Elements that can be taken once.
        case generator

        var typeName: String {
            switch self {
            case .list: "list"
            case .tuple: "tuple"
            case .group: "_GroupTuple"
            case .keys: "dict_keys"
            case .values: "dict_values"
            case .pairs: "dict_items"
            case .range: "range"
            case .generator: "generator"
            }
        }

        /// Whether elements can be had by their index.
        var isIndexed: Bool {
            switch self {
            case .list, .tuple, .group, .range: true
            default: false
            }
        }
    }

    let kind: Kind
    let items: [Value]
    let depth: Int
    let weight: Int
    /// The origin of brackets and commas when this is printed.
    let origin: TemplateOrigin
    /// How many elements of a generator were taken.
    private var taken = 0

    /// Made by the interpreter alone, which charges for it and bounds its depth.
    init(kind: Kind, items: [Value], depth: Int, weight: Int, origin: TemplateOrigin) {
        self.kind = kind
        self.items = items
        self.depth = depth
        self.weight = weight
        self.origin = origin
    }

    /// Whether Python takes this for true: what has no length always is.
    var isTrue: Bool { kind == .generator || !items.isEmpty }

    /// All elements; from a generator those not yet taken, and takes them.
    func takeAll() -> [Value] {
        guard kind == .generator else { return items }
        defer { taken = items.count }
        return Array(items[taken...])
    }

    /// The first element; from a generator the next one, and takes it.
    func takeFirst() -> Value? {
        guard kind == .generator else { return items.first }
        guard taken < items.count else { return nil }
        defer { taken += 1 }
        return items[taken]
    }

    func isEqual(_ other: SequenceValue) -> Bool {
        if self === other { return true }
        switch (kind, other.kind) {
        case (.list, .list), (.range, .range): return items == other.items
        case (.tuple, .tuple), (.tuple, .group), (.group, .tuple), (.group, .group): return items == other.items
        case (.keys, .keys), (.pairs, .pairs), (.keys, .pairs), (.pairs, .keys): return Set(items) == Set(other.items)
        default: return false
        }
    }
}
