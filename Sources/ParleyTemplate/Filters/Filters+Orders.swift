// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Filters {
    /// Filters that order or compare elements.
    static let orders: [String: Filter] = [
        "sort": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["reverse", "case_sensitive", "attribute"], of: "sort")
            let items = try interpreter.elements(of: value)
            let paths = bound.present(2).map { path in
                path.text?.split(by: MarkedText(",", .template), limit: .max).map { Value.string($0) } ?? [path]
            }
            var keys: [Value] = []
            for item in items {
                var key: [Value] = []
                for path in paths ?? [.none] {
                    key.append(try interpreter.sortKey(of: item, path: path, isCaseSensitive: bound.bool(1)))
                }
                keys.append(try interpreter.list(key))
            }
            let order = try interpreter.sortedIndices(by: keys, isReversed: bound.bool(0))
            return try interpreter.list(order.map { items[$0] }, origin: value.origin)
        },
        "dictsort": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["case_sensitive", "by", "reverse"], of: "dictsort")
            let by = try bound.text(1)?.string ?? "key"
            guard by == "key" || by == "value" else {
                throw TemplateError(.invalidValue, "You can only sort by either \"key\" or \"value\"")
            }
            guard case .mapping(let mapping) = value else { throw wrongInput("dictsort", "a mapping", value) }
            var keys: [Value] = []
            for (key, value) in mapping.members {
                keys.append(try interpreter.folded(by == "key" ? key : value, isCaseSensitive: bound.bool(0)))
            }
            let pairs = try MappingMethods.pairs(.list, mapping, interpreter).items
            let order = try interpreter.sortedIndices(by: keys, isReversed: bound.bool(2))
            return try interpreter.list(order.map { pairs[$0] }, origin: value.origin)
        },
        "unique": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["case_sensitive", "attribute"], of: "unique")
            var seen: Set<Value> = []
            var unique: [Value] = []
            for item in try interpreter.elements(of: value) {
                let key = try interpreter.sortKey(of: item, path: bound.present(1), isCaseSensitive: bound.bool(0))
                if seen.insert(try interpreter.key(key)).inserted { unique.append(item) }
            }
            return .sequence(try interpreter.sequence(.generator, unique, origin: value.origin))
        },
        "min": extreme("min") { $0 },
        "max": extreme("max") { !$0 },
        "groupby": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["attribute", "default", "case_sensitive"], of: "groupby", required: 1)
            let items = try interpreter.elements(of: value)
            var plain: [Value] = []
            var keys: [Value] = []
            for item in items {
                let key = try interpreter.attribute(at: bound[0] ?? .none, of: item, fallback: bound.present(1))
                plain.append(key)
                keys.append(try interpreter.folded(key, isCaseSensitive: bound.bool(2)))
            }
            var groups: [(name: Value, indices: [Int])] = []
            var last: Value?
            for index in try interpreter.sortedIndices(by: keys, isReversed: false) {
                if last != keys[index] { groups.append((plain[index], [])) }
                groups[groups.count - 1].indices.append(index)
                last = keys[index]
            }
            var result: [Value] = []
            for group in groups {
                let members = try interpreter.list(group.indices.map { items[$0] }, origin: value.origin)
                result.append(
                    .sequence(try interpreter.sequence(.group, [group.name, members], origin: value.origin)))
            }
            return try interpreter.list(result, origin: value.origin)
        },
    ]

    private static func extreme(_ name: String, _ wins: @escaping @Sendable (Bool) -> Bool) -> Filter {
        { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["case_sensitive", "attribute"], of: name)
            var best: (item: Value, key: Value)?
            for item in try interpreter.elements(of: value) {
                let key = try interpreter.sortKey(of: item, path: bound.present(1), isCaseSensitive: bound.bool(0))
                if let current = best {
                    try interpreter.charge(steps: 1 + min(key.weight, current.key.weight) / 16)
                    let isLess = try interpreter.precedes(key, current.key)
                    guard key != current.key, wins(isLess) else { continue }
                }
                best = (item, key)
            }
            return best?.item ?? .undefined(.because("No aggregated item, sequence was empty."))
        }
    }
}
