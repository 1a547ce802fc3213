// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaFacts {
    /// Whether it is plain that no value satisfies these facts. A no may be wrong, a yes is not.
    func isProvablyEmpty(_ branches: SchemaBranches, depth: Int) throws(ConstraintError) -> Bool {
        if let values {
            for value in values where try accepts(value, branches) { return false }
            return true
        }
        var left = kinds
        if left.contains(.string), try textIsEmpty() { left.remove(.string) }
        if !left.isDisjoint(with: .number), try numbersAreEmpty() { left.subtract(.number) }
        if left.contains(.object), try objectsAreEmpty(branches, depth: depth) { left.remove(.object) }
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

    /// The numbers that are allowed.
    var numbers: NumberAutomaton {
        NumberAutomaton(
            isInteger: !kinds.contains(.fraction), minimum: minimum, maximum: maximum, divisor: divisor)
    }

    private func objectsAreEmpty(_ branches: SchemaBranches, depth: Int) throws(ConstraintError) -> Bool {
        if let maxProperties, maxProperties < max(minProperties, required.count) { return true }
        guard depth > 0 else { return false }
        for name in required {
            var isEmpty = true
            for branch in try branches.branches(of: property(name), checksExclusion: false) {
                guard try SchemaFacts(branch, budget: budget).isProvablyEmpty(branches, depth: depth - 1) else {
                    isEmpty = false
                    break
                }
            }
            if isEmpty { return true }
        }
        return false
    }

    // MARK: Values

    /// Whether a value satisfies these facts.
    func accepts(_ value: JSONValue, _ branches: SchemaBranches) throws(ConstraintError) -> Bool {
        try budget.spend(4)
        if let values, !values.contains(where: { $0.isSame(as: value) }) { return false }
        guard kinds.contains(JSONKinds(value)) else { return false }
        switch value {
        case .null, .bool: return true
        case .integer, .number: return accepts(number: value)
        case .string(let text): return try accepts(text: text)
        case .array(let elements): return try accepts(elements, branches)
        case .object(let members): return try accepts(members, branches)
        }
    }

    private func accepts(number value: JSONValue) -> Bool {
        guard let decimal = Decimal(value) else { return false }
        if let minimum, decimal < minimum.value || (minimum.isExclusive && decimal == minimum.value) { return false }
        if let maximum, maximum.value < decimal || (maximum.isExclusive && decimal == maximum.value) { return false }
        guard let divisor, let number = value.number else { return true }
        return number.truncatingRemainder(dividingBy: Double(divisor)) == 0
    }

    private func text() throws(ConstraintError) -> Text {
        if let knownText { return knownText }
        var builder = ProgramBuilder(budget: budget)
        return try text(&builder)
    }

    private func accepts(text: String) throws(ConstraintError) -> Bool {
        let (body, minimum, maximum) = try self.text()
        let length = text.unicodeScalars.count
        return length >= minimum && length <= maximum ?? .max && body.accepts(TextEncoding.json.bytes(of: text))
    }

    private func accepts(_ elements: [JSONValue], _ branches: SchemaBranches) throws(ConstraintError) -> Bool {
        guard elements.count >= minItems, elements.count <= maxItems ?? .max else { return false }
        for (index, element) in elements.enumerated() {
            guard try branches.accept(element, try self.element(at: index)) else { return false }
        }
        return true
    }

    private func accepts(_ members: JSONObject, _ branches: SchemaBranches) throws(ConstraintError) -> Bool {
        guard members.count >= minProperties, members.count <= maxProperties ?? .max else { return false }
        for name in required where members[name] == nil { return false }
        for (name, value) in members.elements {
            guard try branches.accept(value, property(name)) else { return false }
        }
        return true
    }
}

extension SchemaBranches {
    /// Whether a value satisfies schemas at once.
    func accept(_ value: JSONValue, _ schemas: [Subschema]) throws(ConstraintError) -> Bool {
        for branch in try branches(of: schemas, checksExclusion: false) {
            if try SchemaFacts(branch, budget: budget).accepts(value, self) { return true }
        }
        return false
    }
}
