// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON

/// Says whether values satisfy a schema, by evaluating its keywords rather than by running an automaton.
///
/// It filters the values of `enum`, and the automaton is tested against it.
package struct SchemaValidator {
    private let branches: SchemaBranches
    private let checksFormats: Bool
    private var budget: CompilationBudget { branches.budget }

    /// By which schemas an object's or array's parts have been evaluated.
    private struct Evaluation {
        var names: Set<ExactText> = []
        var indices: Set<Int> = []

        mutating func formUnion(_ other: Evaluation) {
            names.formUnion(other.names)
            indices.formUnion(other.indices)
        }
    }

    /// Reads a schema.
    ///
    /// - Throws: ``ConstraintError`` for an invalid or unsupported schema.
    package init(_ schema: JSONValue, limits: ConstraintLimits = ConstraintLimits()) throws(ConstraintError) {
        let budget = CompilationBudget(limits)
        let document = try SchemaDocument(schema, budget: budget)
        self.init(SchemaBranches(document: document, automata: AutomatonStore(budget)))
    }

    init(_ branches: SchemaBranches, checksFormats: Bool = true) {
        self.branches = branches
        self.checksFormats = checksFormats
    }

    /// Whether a value satisfies the schema.
    ///
    /// - Throws: ``ConstraintError`` for an invalid or unsupported part of the schema, or one that costs too much.
    package func accepts(_ value: JSONValue) throws(ConstraintError) -> Bool {
        try accepts(value, branches.document.root)
    }

    /// Whether a value satisfies a part of the schema.
    func accepts(_ value: JSONValue, _ schema: Subschema) throws(ConstraintError) -> Bool {
        try evaluate(value, schema, depth: 0) != nil
    }

    /// Whether a value satisfies the facts of a branch, except `enum` and `const`; `text` says what strings are
    /// allowed.
    func accepts(
        _ value: JSONValue, _ facts: SchemaFacts, _ text: SchemaFacts.Text?
    ) throws(ConstraintError) -> Bool {
        try budget.spend(4 + value.breadth)
        guard facts.kinds.contains(JSONKinds(value)) else { return false }
        switch value {
        case .null, .bool: return true
        case .integer, .number, .decimal: return facts.accepts(number: value)
        case .string(let string): return text.map { SchemaFacts.accepts(text: string, $0) } ?? true
        case .array(let elements):
            guard elements.count >= facts.minItems, elements.count <= facts.maxItems ?? .max else { return false }
            for (index, element) in elements.enumerated() {
                for child in try facts.element(at: index) where try !accepts(element, child) { return false }
            }
            if facts.uniqueness != nil, try !areDistinct(elements) { return false }
            guard let schema = facts.containing, let contains = schema.value["contains"] else { return true }
            var count = 0
            for element in elements where try accepts(element, schema.child(contains, "contains")) { count += 1 }
            let (least, most) = try facts.containedCounts(schema)
            return count >= least && count <= most ?? .max
        case .object(let object):
            guard object.count >= facts.minProperties, object.count <= facts.maxProperties ?? .max else { return false }
            for name in facts.required where object[name.string] == nil { return false }
            for (name, member) in object.elements {
                for child in try facts.property(name) + facts.naming(name) where try !accepts(member, child) {
                    return false
                }
            }
            return true
        }
    }

    /// Whether no two elements are the same.
    private func areDistinct(_ elements: [JSONValue]) throws(ConstraintError) -> Bool {
        var seen: Set<ComparedValue> = []
        for element in elements {
            guard seen.insert(try ComparedValue(element, budget)).inserted else { return false }
        }
        return true
    }

    /// Whether a value is one of several.
    private func holds(_ values: [JSONValue], _ value: JSONValue) throws(ConstraintError) -> Bool {
        if case .string(let text) = value {
            try budget.spend(values.count, times: 1 + text.utf8.count / 8)
            return values.contains(value)
        }
        let wanted = try ComparedValue(value, budget)
        for other in values where try ComparedValue(other, budget) == wanted { return true }
        return false
    }

    /// The parts of a value that a schema evaluates; nil where the value does not satisfy it.
    private func evaluate(
        _ value: JSONValue, _ schema: Subschema, depth: Int
    ) throws(ConstraintError) -> Evaluation? {
        try budget.spend(16 + value.breadth)
        guard case .object(let members) = schema.value else { return schema.value == true ? Evaluation() : nil }
        guard depth < 2 * budget.limits.schemaDepth else {
            throw schema.error(.invalidSchema, "$ref", "The schema refers to itself without end.")
        }
        try SchemaKeywords.check(schema)
        var facts = try SchemaFacts([BranchPart(schema: schema, owners: [schema.path])], branches)
        if checksFormats { facts.applyNumberFormats() }
        guard facts.kinds.contains(JSONKinds(value)) else { return nil }
        if let values = facts.values, try !holds(values, value) { return nil }
        var found = Evaluation()
        func check(_ child: Subschema) throws(ConstraintError) -> Bool {
            guard let inner = try evaluate(value, child, depth: depth + 1) else { return false }
            found.formUnion(inner)
            return true
        }
        for target in try branches.references(of: schema, members) where try !check(target) { return nil }
        for child in try branches.children("allOf", of: schema) where try !check(child) { return nil }
        for keyword in ["anyOf", "oneOf"] where members[keyword] != nil {
            var count = 0
            for child in try branches.children(keyword, of: schema) where try check(child) { count += 1 }
            guard count == 1 || (count > 1 && keyword == "anyOf") else { return nil }
        }
        if let not = members["not"], try evaluate(value, schema.child(not, "not"), depth: depth + 1) != nil {
            return nil
        }
        if let condition = members["if"] {
            let keyword = try check(schema.child(condition, "if")) ? "then" : "else"
            if let next = members[keyword], try !check(schema.child(next, keyword)) { return nil }
        }
        switch value {
        case .null, .bool: break
        case .integer, .number, .decimal: guard facts.accepts(number: value) else { return nil }
        case .string(let text):
            let allowed = try facts.text(withFormats: checksFormats && facts.values == nil)
            guard SchemaFacts.accepts(text: text, allowed) else { return nil }
        case .array(let elements):
            guard elements.count >= facts.minItems, elements.count <= facts.maxItems ?? .max else { return nil }
            if facts.uniqueness != nil, try !areDistinct(elements) { return nil }
            facts.containing = nil
            _ = try facts.prefixCount()
            for (index, element) in elements.enumerated() {
                for child in try facts.element(at: index, withUnevaluated: false) {
                    guard try evaluate(element, child, depth: depth + 1) != nil else { return nil }
                    found.indices.insert(index)
                }
            }
            if let contains = members["contains"] {
                var count = 0
                let child = schema.child(contains, "contains")
                for (index, element) in elements.enumerated()
                where try evaluate(element, child, depth: depth + 1) != nil {
                    count += 1
                    found.indices.insert(index)
                }
                let (least, most) = try facts.containedCounts(schema)
                guard count >= least, count <= most ?? .max else { return nil }
            }
            if let rest = members["unevaluatedItems"] {
                let child = schema.child(rest, "unevaluatedItems")
                for (index, element) in elements.enumerated() where !found.indices.contains(index) {
                    guard try evaluate(element, child, depth: depth + 1) != nil else { return nil }
                    found.indices.insert(index)
                }
            }
        case .object(let object):
            guard object.count >= facts.minProperties, object.count <= facts.maxProperties ?? .max else { return nil }
            for name in facts.required where object[name.string] == nil { return nil }
            for (name, names) in try branches.dependencies(of: schema) where object[name] != nil {
                for other in names where object[other] == nil { return nil }
            }
            for (name, child) in try branches.named("dependentSchemas", of: schema) where object[name] != nil {
                guard try check(schema.child(child, "dependentSchemas", name)) else { return nil }
            }
            for (name, member) in object.elements {
                for child in try facts.property(name, withUnevaluated: false) {
                    guard try evaluate(member, child, depth: depth + 1) != nil else { return nil }
                    found.names.insert(ExactText(name))
                }
                if let names = members["propertyNames"],
                    try evaluate(.string(name), schema.child(names, "propertyNames"), depth: depth + 1) == nil
                {
                    return nil
                }
            }
            if let rest = members["unevaluatedProperties"] {
                let child = schema.child(rest, "unevaluatedProperties")
                for (name, member) in object.elements where !found.names.contains(ExactText(name)) {
                    guard try evaluate(member, child, depth: depth + 1) != nil else { return nil }
                    found.names.insert(ExactText(name))
                }
            }
        }
        return found
    }
}

extension SchemaFacts {
    fileprivate func accepts(number value: JSONValue) -> Bool {
        guard let decimal = DecimalNumber(value) else { return false }
        if let minimum, decimal < minimum.value || (minimum.isExclusive && decimal == minimum.value) { return false }
        if let maximum, maximum.value < decimal || (maximum.isExclusive && decimal == maximum.value) { return false }
        return divisor.map { $0.divides(decimal) } ?? true
    }

    fileprivate static func accepts(text: String, _ facts: Text) -> Bool {
        let (body, minimum, maximum) = facts
        let length = text.unicodeScalars.count
        return length >= minimum && length <= maximum ?? .max && body.accepts(TextEncoding.json.bytes(of: text))
    }
}
