// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Interpreter {
    /// A chain of comparisons: each operand is evaluated once, and only until one comparison fails.
    @inline(never)
    func compare(_ first: Expression, _ rest: [Expression.Comparison]) throws(TemplateError) -> Value {
        var left = try evaluate(first)
        for comparison in rest {
            let right = try evaluate(comparison.operand)
            guard try holds(left, comparison.comparator, right) else { return .bool(false) }
            left = right
        }
        return .bool(true)
    }

    func holds(_ left: Value, _ comparator: Comparator, _ right: Value) throws(TemplateError) -> Bool {
        switch comparator {
        case .equal: return try isEqual(left, right)
        case .notEqual: return try !isEqual(left, right)
        case .isIn: return try contains(right, left)
        case .isNotIn: return try !contains(right, left)
        case .less: return try precedes(left, right, "<")
        case .greater: return try precedes(right, left, ">")
        case .lessOrEqual: return try precedes(left, right, "<=", orEquals: true)
        case .greaterOrEqual: return try precedes(right, left, ">=", orEquals: true)
        }
    }

    /// Python's `<` or `<=`, which exist for numbers, for strings and for lists or tuples of those.
    func precedes(
        _ left: Value, _ right: Value, _ symbol: String = "<", orEquals: Bool = false
    ) throws(TemplateError) -> Bool {
        try meter.work(8)
        switch (left, right) {
        case (.string(let left), .string(let right)):
            if try left.precedes(right, meter) { return true }
            return orEquals ? try isEqual(.string(left), .string(right)) : false
        case (.sequence(let left), .sequence(let right)) where left.isComparable(with: right):
            for (left, right) in zip(left.items, right.items) where try !isEqual(left, right) {
                return try precedes(left, right, symbol, orEquals: orEquals)
            }
            return left.items.count < right.items.count || (orEquals && left.items.count == right.items.count)
        case (.undefined(let undefined), _), (_, .undefined(let undefined)): throw undefined.error
        default:
            if let left = left.integer, let right = right.integer { return left < right || (orEquals && left == right) }
            if let left = left.double, let right = right.double { return left < right || (orEquals && left == right) }
            throw TemplateError(
                .wrongType,
                "'\(symbol)' not supported between instances of '\(left.typeName)' and '\(right.typeName)'")
        }
    }

    /// Python's `in`.
    func contains(_ container: Value, _ value: Value) throws(TemplateError) -> Bool {
        switch container {
        case .undefined: return false
        case .mapping(let mapping): return mapping.members[try meter.key(value)] != nil
        case .sequence(let sequence) where sequence.kind == .generator:
            // What comes after the value is left for the next use.
            while let item = sequence.takeFirst() {
                if try isEqual(item, value) { return true }
            }
            return false
        case .sequence(let sequence):
            for item in sequence.items where try isEqual(item, value) { return true }
            return false
        case .string(let text):
            if case .undefined(let undefined) = value { throw undefined.error }
            guard let part = value.text else {
                throw TemplateError(
                    .wrongType, "'in <string>' requires string as left operand, not \(value.typeName)")
            }
            return try text.contains(part, meter)
        default: throw TemplateError(.wrongType, "argument of type '\(container.typeName)' is not iterable")
        }
    }
}

extension SequenceValue {
    fileprivate func isComparable(with other: SequenceValue) -> Bool {
        kind == .list && other.kind == .list || kind.isTuple && other.kind.isTuple
    }
}
