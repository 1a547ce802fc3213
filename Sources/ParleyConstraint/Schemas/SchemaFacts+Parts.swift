// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaFacts {
    /// The names of the declared properties, then those that are only required, each once.
    func propertyNames() throws(ConstraintError) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for schema in schemas {
            guard let properties = schema.value["properties"] else { continue }
            guard case .object(let members) = properties else {
                throw schema.error(.invalidSchema, "properties", "The value must be an object of schemas.")
            }
            for name in members.keys where seen.insert(name).inserted { names.append(name) }
        }
        for name in required where seen.insert(name).inserted { names.append(name) }
        return names
    }

    /// What the value of a property of that name must satisfy.
    func property(_ name: String) -> [Subschema] {
        schemas.compactMap { schema in
            if let value = schema.value["properties"]?[name] { return schema.child(value, "properties", name) }
            return schema.value["additionalProperties"].map { schema.child($0, "additionalProperties") }
        }
    }

    /// What the values of properties must satisfy that no schema declares.
    func additionalProperty() -> [Subschema] {
        schemas.compactMap { schema in
            schema.value["additionalProperties"].map { schema.child($0, "additionalProperties") }
        }
    }

    /// How many elements of arrays have schemas of their own.
    func prefixCount() throws(ConstraintError) -> Int {
        var count = 0
        for schema in schemas {
            guard let value = schema.value["prefixItems"] else { continue }
            guard let elements = value.array, !elements.isEmpty else {
                throw schema.error(
                    .invalidSchema, "prefixItems", "The value must be a list of schemas that is not empty.")
            }
            count = max(count, elements.count)
        }
        return count
    }

    /// What the element at an index must satisfy.
    func element(at index: Int) throws(ConstraintError) -> [Subschema] {
        var parts: [Subschema] = []
        for schema in schemas {
            if let prefix = schema.value["prefixItems"]?.array, index < prefix.count {
                parts.append(schema.child(prefix[index], "prefixItems", String(index)))
            } else if let items = schema.value["items"] {
                if items.array != nil {
                    throw schema.error(.unsupported, "items", "A list is called prefixItems since 2020-12; rename it.")
                }
                parts.append(schema.child(items, "items"))
            }
        }
        return parts
    }

    /// The automaton of the inside of the strings, and how long they may be.
    func text(
        _ builder: inout ProgramBuilder
    ) throws(ConstraintError) -> Text {
        var body: ByteDFA?
        var (minimum, maximum) = (minLength, maxLength)
        for (text, keyword, schema) in patterns {
            do throws(ConstraintError) {
                let next: ByteDFA
                let pattern = try PatternParser.parse(text, depthLimit: budget.limits.schemaDepth)
                if let counted = pattern.countedSet {
                    minimum = max(minimum, counted.min)
                    maximum = counted.max.map { min($0, maximum ?? .max) } ?? maximum
                    next = try builder.automaton(.repeating(counted.set)) { () throws(ConstraintError) in
                        try StringAutomaton.repeating(counted.set, budget: budget)
                    }
                } else {
                    next = try builder.automaton(ofPattern: text, encoding: .json, anywhere: true)
                }
                body = try body?.intersection(next, budget: budget) ?? next
            } catch {
                throw ConstraintError(error.code, error.message, keyword: keyword, path: schema.path)
            }
        }
        return (body ?? StringAutomaton.anyText, minimum, maximum)
    }
}
