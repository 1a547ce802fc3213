// SPDX-License-Identifier: Apache-2.0

/// `attribute=` of filters: a name, an index, or several of them with dots between.
extension Interpreter {
    func attribute(at path: Value, of item: Value, fallback: Value? = nil) throws(TemplateError) -> Value {
        var value = item
        for part in parts(of: path) {
            value = try element(part, of: value)
            if let fallback, !fallback.isNone, value.isUndefined { value = fallback }
        }
        return value
    }

    private func parts(of path: Value) -> [Value] {
        if path.isNone { return [] }
        guard let text = path.text else { return [path] }
        return text.split(by: MarkedText(".", .template), limit: .max).map { part in
            let isNumber = !part.isEmpty && part.scalars.allSatisfy(\.isPythonDigit)
            return isNumber ? Int(part.string).map { .integer($0, part.origin) } ?? .string(part) : .string(part)
        }
    }

    /// What an item is sorted or compared by; letters in lower case unless case counts.
    func sortKey(of item: Value, path: Value?, isCaseSensitive: Bool) throws(TemplateError) -> Value {
        let value = try path.map { path throws(TemplateError) in try attribute(at: path, of: item) } ?? item
        return try folded(value, isCaseSensitive: isCaseSensitive)
    }

    func folded(_ value: Value, isCaseSensitive: Bool) throws(TemplateError) -> Value {
        guard !isCaseSensitive, let text = value.text else { return value }
        return try self.text(text.lowercased())
    }

    /// The order of keys from low to high; equal ones keep their places.
    func sortedIndices(by keys: [Value], isReversed: Bool) throws(TemplateError) -> [Int] {
        var failure: TemplateError?
        let indices = keys.indices.sorted { left, right in
            guard failure == nil else { return left < right }
            do throws(TemplateError) {
                try charge(steps: 1 + min(keys[left].weight, keys[right].weight) / 4)
                if try precedes(keys[left], keys[right]) { return !isReversed }
                if try precedes(keys[right], keys[left]) { return isReversed }
            } catch {
                failure = error
            }
            return left < right
        }
        if let failure { throw failure }
        return indices
    }
}
