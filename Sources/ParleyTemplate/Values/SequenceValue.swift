// SPDX-License-Identifier: Apache-2.0

/// A sequence of values: a list, a tuple, or another iterable of Python's.
final class SequenceValue: MeteredObject {
    enum Kind: Equatable {
        case list, tuple
        /// A result of `groupby`: a tuple whose two elements have names.
        case group
        case keys, values, pairs
        case range(start: Int, stop: Int, step: Int)
        /// Elements that can be iterated once.
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

        /// Whether elements can be accessed by their index.
        var isIndexed: Bool {
            switch self {
            case .list, .tuple, .group, .range: true
            default: false
            }
        }

        var isTuple: Bool { self == .tuple || self == .group }
    }

    let kind: Kind
    let items: [Value]
    let depth: Int
    let weight: Int
    /// The origin of brackets and commas when this is printed.
    let origin: TemplateOrigin
    /// The number of elements taken from a generator.
    @exclusivity(unchecked) private var taken = 0

    /// Takes over the elements.
    init(_ kind: Kind, _ row: Row<Value>, origin: TemplateOrigin) throws(TemplateError) {
        let meter = row.meter
        try meter.work(6 * row.count)
        var (depth, weight, loose) = (0, 8, 0)
        for item in row.elements {
            depth = max(depth, item.depth)
            weight = Value.heavier(weight, item.weight)
            loose += item.looseBytes
        }
        self.kind = kind
        self.items = row.elements
        self.depth = try meter.deepened(depth)
        self.weight = weight
        self.origin = origin
        try super.init(meter, bytes: 128 + loose, takingOver: row)
    }

    /// The truth value in Python; values without a length are always true.
    var isTrue: Bool { kind == .generator || !items.isEmpty }

    /// Returns all elements; for a generator, takes the remaining ones.
    func takeAll() throws(TemplateError) -> Elements {
        guard kind == .generator else { return Elements(owner: self, items: items[...]) }
        defer { taken = items.count }
        return Elements(owner: self, items: items[taken...])
    }

    /// Returns the first element; for a generator, takes the next one.
    func takeFirst() -> Value? {
        guard kind == .generator else { return items.first }
        guard taken < items.count else { return nil }
        defer { taken += 1 }
        return items[taken]
    }
}

/// The elements of a loop, with the object that is charged for them.
struct Elements: Sequence {
    let owner: AnyObject?
    let items: ArraySlice<Value>

    static var none: Elements { Elements(owner: nil, items: []) }

    var count: Int { items.count }

    /// The element at an index counted from 0.
    subscript(index: Int) -> Value { items[items.startIndex + index] }

    func dropFirst() -> Elements { Elements(owner: owner, items: items.dropFirst()) }

    struct Iterator: IteratorProtocol {
        private let elements: Elements
        private var index = 0

        init(_ elements: Elements) {
            self.elements = elements
        }

        mutating func next() -> Value? {
            guard index < elements.count else { return nil }
            defer { index += 1 }
            return elements[index]
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }
}
