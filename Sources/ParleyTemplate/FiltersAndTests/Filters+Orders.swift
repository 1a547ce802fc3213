// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Filters {
    /// Filters that order or compare elements.
    static let orders: [String: Filter] = [
        "sort": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["reverse", "case_sensitive", "attribute"], of: "sort")
            let items = try interpreter.elements(of: value)
            let paths = try interpreter.row()
            if let path = bound.present(2) {
                if let text = path.text {
                    let parts = try text.split(interpreter.meter, by: MarkedText(source: ","), limit: .max)
                    for part in parts.elements { try paths.append(.string(part)) }
                } else {
                    try paths.append(path)
                }
            } else {
                try paths.append(.none)
            }
            let keys = try interpreter.row()
            for item in items {
                let key = try interpreter.row(room: paths.count)
                for path in paths.elements {
                    try interpreter.meter.work(16)
                    try key.append(try interpreter.sortKey(of: item, path: path, isCaseSensitive: bound.bool(1)))
                }
                try keys.append(try interpreter.sequence(.list, key))
            }
            let order = try interpreter.sortedIndices(by: keys, isReversed: bound.bool(0))
            return try interpreter.sequence(
                .list, try interpreter.picking(order.elements, from: items), origin: value.origin)
        },
        "dictsort": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["case_sensitive", "by", "reverse"], of: "dictsort")
            let by = try bound.text(1)?.name(interpreter.meter) ?? "key"
            guard by == "key" || by == "value" else {
                throw TemplateError(.invalidValue, "You can only sort by either \"key\" or \"value\"")
            }
            guard case .mapping(let mapping) = value else { throw wrongInput("dictsort", "a mapping", value) }
            let keys = try interpreter.row(room: mapping.members.count)
            for (key, value) in mapping.members {
                try keys.append(try interpreter.folded(by == "key" ? key.value : value, isCaseSensitive: bound.bool(0)))
            }
            let pairs = try MappingMethods.pairs(.list, mapping, interpreter).takeAll()
            let order = try interpreter.sortedIndices(by: keys, isReversed: bound.bool(2))
            return try interpreter.sequence(
                .list, try interpreter.picking(order.elements, from: pairs), origin: value.origin)
        },
        "unique": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["case_sensitive", "attribute"], of: "unique")
            let seen = try Members(interpreter.meter)
            let unique = try interpreter.row()
            for item in try interpreter.elements(of: value) {
                let key = try interpreter.sortKey(of: item, path: bound.present(1), isCaseSensitive: bound.bool(0))
                let count = seen.count
                try seen.set(try interpreter.meter.key(key), .none)
                if seen.count > count { try unique.append(item) }
            }
            return try interpreter.sequence(.generator, unique, origin: value.origin)
        },
        "min": extreme("min") { $0 },
        "max": extreme("max") { !$0 },
        "groupby": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["attribute", "default", "case_sensitive"], of: "groupby", required: 1)
            let items = try interpreter.elements(of: value)
            let plain = try interpreter.row(room: items.count)
            let keys = try interpreter.row(room: items.count)
            for item in items {
                let key = try interpreter.attribute(at: bound[0] ?? .none, of: item, fallback: bound.present(1))
                try plain.append(key)
                try keys.append(try interpreter.folded(key, isCaseSensitive: bound.bool(2)))
            }
            let order = try interpreter.sortedIndices(by: keys, isReversed: false)
            let groups = try interpreter.row()
            var start = 0
            for end in 1..<max(order.count + 1, 1) {
                if end < order.count, try interpreter.isEqual(keys[order[end - 1]], keys[order[end]]) { continue }
                let members = try interpreter.sequence(
                    .list, try interpreter.picking(order.elements[start..<end], from: items), origin: value.origin)
                try groups.append(
                    try interpreter.sequence(.group, of: [plain[order[start]], members], origin: value.origin))
                start = end
            }
            return try interpreter.sequence(.list, groups, origin: value.origin)
        },
    ]

    private static func extreme(_ name: String, _ wins: @escaping @Sendable (Bool) -> Bool) -> Filter {
        { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["case_sensitive", "attribute"], of: name)
            var best: (item: Value, key: Value)?
            for item in try interpreter.elements(of: value) {
                let key = try interpreter.sortKey(of: item, path: bound.present(1), isCaseSensitive: bound.bool(0))
                if let current = best {
                    let isLess = try interpreter.precedes(key, current.key)
                    guard try !interpreter.isEqual(key, current.key), wins(isLess) else { continue }
                }
                best = (item, key)
            }
            return best?.item ?? .undefined(.because("No aggregated item, sequence was empty."))
        }
    }
}

extension Interpreter {
    /// The elements at some indices.
    fileprivate func picking(
        _ indices: some Collection<Int>, from items: Elements
    ) throws(TemplateError) -> Row<Value> {
        let row = try row(room: indices.count)
        for index in indices { try row.append(items[index]) }
        return row
    }
}
