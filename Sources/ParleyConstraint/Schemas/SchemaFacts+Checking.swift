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
        return try numberAutomaton().isEmpty
    }

    /// The values that satisfy all keywords of the branch but `enum` and `const`, and but `format`, which is an
    /// annotation: values that the schema lists are allowed whatever their form.
    func accepted(of values: [JSONValue]) throws(ConstraintError) -> [JSONValue] {
        let validator = SchemaValidator(branches, checksFormats: false)
        let text = values.contains { $0.string != nil } ? try self.text(withFormats: false) : nil
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

    /// The automaton of the numbers that are allowed.
    func numberAutomaton() throws(ConstraintError) -> ByteDFA {
        let allowed = numbers
        return try branches.automata.automaton(.number(allowed)) { () throws(ConstraintError) in
            allowed == NumberAutomaton(isInteger: false) ? .anyNumber : try allowed.build(budget: budget)
        }
    }

    /// Why no number is allowed although the bounds do not contradict each other: those between them have more digits
    /// than numbers may have. Nil where that is not so.
    var errorOfDigits: ConstraintError? {
        if let minimum, let maximum, !(minimum.value < maximum.value) { return nil }
        let limit = NumberAutomaton.digitLimit
        let faults: [(bound: NumberAutomaton.Bound?, keywords: [String], isFault: Bool)] = [
            (
                minimum, ["minimum", "exclusiveMinimum"],
                minimum.map { !$0.value.isNegative && $0.value.integer.count > limit } ?? false
            ),
            (
                maximum, ["maximum", "exclusiveMaximum"],
                maximum.map { $0.value.isNegative && $0.value.integer.count > limit } ?? false
            ),
            // Between two different bounds there are always fractions. Those that a `not` excludes need not be there.
            (
                minimum, ["minimum", "exclusiveMinimum"],
                maximum != nil && kinds.contains(.fraction) && divisor == nil && !schemas.contains(where: \.isDerived)
            ),
        ]
        for fault in faults where fault.isFault {
            for schema in schemas where !schema.isDerived {
                for keyword in fault.keywords {
                    guard let value = schema.value[keyword], DecimalNumber(value) == fault.bound?.value else {
                        continue
                    }
                    return schema.error(
                        .unsupported, keyword,
                        "Numbers have at most \(limit) digits before and after the point, and none of these is within "
                            + "the bounds; use another unit.")
                }
            }
        }
        return nil
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
