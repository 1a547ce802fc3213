// SPDX-License-Identifier: Apache-2.0

/// `attribute=` of filters: a name, an index, or several of them with dots between.
extension Interpreter {
    func attribute(at path: Value, of item: Value, fallback: Value? = nil) throws(TemplateError) -> Value {
        if path.isNone { return item }
        guard let text = path.text else { return try element(path, of: item, orElse: fallback) }
        try meter.work(32)
        var value = item
        for part in try text.split(meter, by: Filters.dot, limit: .max).elements {
            let isNumber = part.isEmpty ? false : try part.all(meter, \.isPythonDigit)
            let number = isNumber ? try part.name(meter).flatMap { Int($0) } : nil
            value = try element(
                number.map { .integer($0, part.origin) } ?? .string(part), of: value, orElse: fallback)
        }
        return value
    }

    private func element(
        _ index: Value, of value: Value, orElse fallback: Value?
    ) throws(TemplateError) -> Value {
        let element = try element(index, of: value)
        if let fallback, !fallback.isNone, element.isUndefined { return fallback }
        return element
    }

    /// The key by which an item is sorted or compared, in lower case unless case counts.
    func sortKey(of item: Value, path: Value?, isCaseSensitive: Bool) throws(TemplateError) -> Value {
        let value = try path.map { path throws(TemplateError) in try attribute(at: path, of: item) } ?? item
        return try folded(value, isCaseSensitive: isCaseSensitive)
    }

    func folded(_ value: Value, isCaseSensitive: Bool) throws(TemplateError) -> Value {
        guard !isCaseSensitive, let text = value.text else { return value }
        return .string(try text.converted(to: .lower, meter))
    }

    /// The indices that sort the keys in ascending order; equal keys keep their order.
    func sortedIndices(by keys: Row<Value>, isReversed: Bool) throws(TemplateError) -> Row<Int> {
        try sortedIndices(keys.count) { (left, right) throws(TemplateError) in
            if try precedes(keys[left], keys[right]) { return !isReversed }
            if try precedes(keys[right], keys[left]) { return isReversed }
            return left < right
        }
    }

    /// The indices below a count, sorted by their elements.
    func sortedIndices(
        _ count: Int, by precedes: (Int, Int) throws(TemplateError) -> Bool
    ) throws(TemplateError) -> Row<Int> {
        let row = try Row<Int>(meter, room: count)
        // The standard library sorts a copy, with the same amount of memory again for merging.
        let room = 3 * MemoryLayout<Int>.stride * count
        try meter.reserve(room)
        defer { meter.release(room) }
        var failure: TemplateError?
        let indices = (0..<count).sorted { left, right in
            guard failure == nil else { return left < right }
            do throws(TemplateError) {
                try meter.work(16)
                return try precedes(left, right)
            } catch {
                failure = error
                return left < right
            }
        }
        if let failure { throw failure }
        try row.append(contentsOf: indices)
        return row
    }
}
