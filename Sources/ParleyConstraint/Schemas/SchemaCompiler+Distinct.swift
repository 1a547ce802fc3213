// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

extension SchemaCompiler {
    /// An array whose elements must all differ: only where there are few different values, as those used must be
    /// remembered.
    mutating func distinctArray(_ facts: SchemaFacts) throws(ConstraintError) -> NodeID {
        func refusal(_ message: String) -> ConstraintError {
            ConstraintError(.unsupported, message, keyword: "uniqueItems", path: facts.uniqueness?.place)
        }
        guard facts.containing == nil else {
            throw refusal("It is not supported together with contains; remove one of them.")
        }
        let declared = try facts.prefixCount()
        let places = min(declared, facts.maxItems ?? declared)
        let hasRest = facts.maxItems.map { $0 > declared } ?? true
        var values: [JSONValue] = []
        var indices: [ComparedValue: Int] = [:]
        var sets: [UInt64] = []
        for index in 0..<(hasRest ? places + 1 : places) {
            guard let few = try self.values(of: try facts.element(at: index)) else {
                throw refusal(
                    "It is supported only for few possible elements: list them with enum, const or boolean, "
                        + "or say in the prompt that elements must differ, and check the reply.")
            }
            var set: UInt64 = 0
            for value in few {
                let compared = try ComparedValue(value, builder.budget)
                let known = indices[compared] ?? values.count
                if known == values.count {
                    indices[compared] = known
                    values.append(value)
                }
                guard values.count <= ArrayShape.Distinct.valueLimit else {
                    throw refusal("At most \(ArrayShape.Distinct.valueLimit) different elements are supported.")
                }
                set |= 1 << UInt64(known)
            }
            sets.append(set)
        }
        let rest = hasRest ? sets.removeLast() : 0
        var nodes: [NodeID] = []
        for value in values { nodes.append(try constant(value, notation.nested)) }
        return try builder.add(
            .array(
                ArrayShape(
                    punctuation: try builder.punctuation("[", "]"), prefix: [], rest: nil,
                    minimum: Int32(clamping: facts.minItems),
                    maximum: Int32(clamping: min(facts.maxItems ?? .max, hasRest ? values.count : places)),
                    distinct: ArrayShape.Distinct(values: nodes, prefix: sets, rest: rest))))
    }

    /// The values that satisfy schemas at once, where there are few of them; nil where there are more.
    private func values(of schemas: [Subschema]) throws(ConstraintError) -> [JSONValue]? {
        var found: [JSONValue] = []
        for branch in try branches.branches(of: schemas) {
            var facts = try SchemaFacts(branch, branches)
            facts.applyNumberFormats()
            if let values = facts.values {
                found += try facts.accepted(of: values)
            } else if try !facts.isProvablyEmpty(depth: 4) {
                guard facts.kinds.isSubset(of: [.null, .boolean, .integer]),
                    let integers = try facts.kinds.contains(.integer) ? facts.fewIntegers() : []
                else { return nil }
                found += integers
                if facts.kinds.contains(.boolean) { found += [true, false] }
                if facts.kinds.contains(.null) { found.append(nil) }
            }
        }
        return found
    }
}

extension SchemaFacts {
    /// The integers between the bounds; nil where there are many.
    fileprivate func fewIntegers() throws(ConstraintError) -> [JSONValue]? {
        guard let low = minimum?.value.wholePart, let high = maximum?.value.wholePart, low <= high,
            high - low <= ArrayShape.Distinct.valueLimit
        else { return nil }
        return try accepted(of: (low...high).map { .integer($0) })
    }
}

extension DecimalNumber {
    /// The integer part; nil for large numbers.
    fileprivate var wholePart: Int? {
        guard integer.count <= 15 else { return nil }
        let magnitude = integer.reduce(0) { $0 * 10 + Int($1) }
        return isNegative ? -magnitude : magnitude
    }
}
