// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaFacts {
    /// Whether it is proven that no value satisfies these facts. A no may be wrong, a yes is not.
    func isProvablyEmpty(depth: Int) throws(ConstraintError) -> Bool {
        if let values {
            return try accepted(of: values).isEmpty
        }
        var left = kinds
        if left.contains(.string), try textIsEmpty() { left.remove(.string) }
        if !left.isDisjoint(with: .number), try numbersAreEmpty() { left.subtract(.number) }
        if left.contains(.object), try objectsAreEmpty(depth: depth) { left.remove(.object) }
        if left.contains(.array), let maxItems, maxItems < minItems { left.remove(.array) }
        return left.isEmpty
    }

    private func textIsEmpty() throws(ConstraintError) -> Bool {
        let (body, minimum, maximum) = try text()
        return body.isEmpty || maximum.map { $0 < minimum } ?? false
    }

    private func numbersAreEmpty() throws(ConstraintError) -> Bool {
        guard minimum != nil, maximum != nil else { return false }
        return try numbers.build(budget: budget).isEmpty
    }

    /// The values that satisfy all keywords of the branch but `enum` and `const`.
    func accepted(of values: [JSONValue]) throws(ConstraintError) -> [JSONValue] {
        let validator = SchemaValidator(branches)
        let text = values.contains { $0.string != nil } ? try self.text() : nil
        var accepted: [JSONValue] = []
        for value in values where try validator.accepts(value, self, text) { accepted.append(value) }
        return accepted
    }

    /// The numbers that are allowed.
    var numbers: NumberAutomaton {
        NumberAutomaton(
            isInteger: !kinds.contains(.fraction), isFraction: !kinds.contains(.integer), minimum: minimum,
            maximum: maximum, divisor: divisor)
    }

    private func objectsAreEmpty(depth: Int) throws(ConstraintError) -> Bool {
        if let maxProperties, maxProperties < max(minProperties, required.count) { return true }
        guard depth > 0 else { return false }
        for name in required {
            var isEmpty = true
            for branch in try branches.branches(of: try property(name.string), checksExclusion: false) {
                guard try SchemaFacts(branch, branches).isProvablyEmpty(depth: depth - 1) else {
                    isEmpty = false
                    break
                }
            }
            if isEmpty { return true }
        }
        return false
    }
}
