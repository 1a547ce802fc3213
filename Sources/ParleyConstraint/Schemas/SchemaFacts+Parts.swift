// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaFacts {
    /// The names of the declared properties, then those that are only required, each once.
    func propertyNames() throws(ConstraintError) -> [String] {
        var names: [String] = []
        var seen: Set<ExactText> = []
        for schema in schemas {
            guard let properties = schema.value["properties"] else { continue }
            guard case .object(let members) = properties else {
                throw schema.error(.invalidSchema, "properties", "The value must be an object of schemas.")
            }
            for name in members.keys where seen.insert(ExactText(name)).inserted { names.append(name) }
        }
        for name in required where seen.insert(name).inserted { names.append(name.string) }
        return names
    }

    /// What the value of a property of that name must satisfy, `unevaluatedProperties` included or not.
    func property(_ name: String, withUnevaluated: Bool = true) throws(ConstraintError) -> [Subschema] {
        let bytes = TextEncoding.json.bytes(of: name)
        return try members(named: name, withUnevaluated: withUnevaluated) { pattern, schema throws(ConstraintError) in
            try budget.spend(bytes.count)
            return try namePattern(pattern, schema).accepts(bytes)
        }
    }

    /// What the value of a property must satisfy that is declared, or whose name some patterns match.
    private func members(
        named name: String?, withUnevaluated: Bool = true,
        _ matches: (String, Subschema) throws(ConstraintError) -> Bool
    ) throws(ConstraintError) -> [Subschema] {
        try budget.spend(parts.count)
        var found: [Subschema] = []
        var evaluating: [BranchPart] = []
        for part in parts {
            let schema = part.schema
            let count = found.count
            if let name, let value = schema.value["properties"]?[name] {
                found.append(schema.child(value, "properties", name))
            }
            for (pattern, value) in try branches.named("patternProperties", of: schema)
            where try matches(pattern, schema) {
                found.append(schema.child(value, "patternProperties", pattern))
            }
            if count == found.count, let value = schema.value["additionalProperties"] {
                found.append(schema.child(value, "additionalProperties"))
            }
            if count < found.count { evaluating.append(part) }
        }
        guard withUnevaluated else { return found }
        return try found + unevaluated("unevaluatedProperties", evaluating)
    }

    /// The `unevaluated…` schemas that apply to a part of the value, given the schemas that have evaluated it.
    private func unevaluated(
        _ keyword: String, _ evaluating: [BranchPart]
    ) throws(ConstraintError) -> [Subschema] {
        let asking = parts.filter { $0.schema.value[keyword] != nil }
        try budget.spend(asking.count, times: asking.count + evaluating.count)
        return asking.compactMap { part in
            let owner = part.schema.path
            let isEvaluated =
                evaluating.contains { $0.owners.contains(owner) }
                || asking.contains { $0.schema.path != owner && $0.owners.contains(owner) }
            guard !isEvaluated, let value = part.schema.value[keyword] else { return nil }
            return part.schema.child(value, keyword)
        }
    }

    /// The automaton of a pattern for names.
    private func namePattern(_ pattern: String, _ schema: Subschema) throws(ConstraintError) -> ByteDFA {
        do throws(ConstraintError) {
            return try branches.automata.automaton(ofPattern: pattern, encoding: .json, anywhere: true)
        } catch {
            throw ConstraintError(error.code, error.message, keyword: "patternProperties", path: schema.place)
        }
    }

    /// Names that no schema declares, with what their values must satisfy.
    struct OtherNames {
        /// The names as in JSON strings, without quotes; nil for all but the declared ones.
        var language: ByteDFA?
        var schemas: [Subschema]
    }

    /// The names that no schema declares, grouped by the patterns that match them.
    func otherNames(than names: [String]) throws(ConstraintError) -> [OtherNames] {
        var patterns: OrderedDictionary<ExactText, ByteDFA> = [:]
        for schema in schemas {
            for (pattern, _) in try branches.named("patternProperties", of: schema) {
                guard patterns[ExactText(pattern)] == nil else { continue }
                patterns[ExactText(pattern)] = try namePattern(pattern, schema)
            }
        }
        guard patterns.count <= 8 else {
            throw ConstraintError(
                .unsupported, "At most 8 patterns for names are supported in one object.",
                keyword: "patternProperties", path: schemas.first?.place)
        }
        let naming = schemas.filter { $0.value["propertyNames"] != nil }
        guard !patterns.isEmpty || !naming.isEmpty else {
            return [OtherNames(language: nil, schemas: try members(named: nil) { _, _ in false })]
        }
        let declared = try ByteDFA.literals(
            names.map { (TextEncoding.json.bytes(of: $0), 0) }, budget: budget)
        var rest = try StringAutomaton.canonicalText.subtracting(declared, budget: budget)
        for schema in naming { rest = try rest.intersection(try self.names(of: schema), budget: budget) }
        var regions: [(language: ByteDFA, matched: Set<ExactText>)] =
            rest.isEmpty ? [] : [(language: rest, matched: Set<ExactText>())]
        for (pattern, automaton) in patterns {
            var next: [(language: ByteDFA, matched: Set<ExactText>)] = []
            for region in regions {
                let inside = try region.language.intersection(automaton, budget: budget)
                let outside = try region.language.subtracting(automaton, budget: budget)
                if !inside.isEmpty { next.append((inside, region.matched.union([pattern]))) }
                if !outside.isEmpty { next.append((outside, region.matched)) }
            }
            regions = next
        }
        var result: [OtherNames] = []
        for region in regions {
            let schemas = try members(named: nil) { pattern, _ in region.matched.contains(ExactText(pattern)) }
            result.append(OtherNames(language: region.language, schemas: schemas))
        }
        return result
    }

    /// The schemas that a property's name adds: that it must not exist if `propertyNames` forbids the name.
    func naming(_ name: String) throws(ConstraintError) -> [Subschema] {
        let validator = SchemaValidator(branches)
        for schema in schemas {
            guard let value = schema.value["propertyNames"] else { continue }
            guard try !validator.accepts(.string(name), schema.child(value, "propertyNames")) else { continue }
            return [schema.derived("no name", false)]
        }
        return []
    }

    /// The names that `propertyNames` allows.
    private func names(of schema: Subschema) throws(ConstraintError) -> ByteDFA {
        guard let value = schema.value["propertyNames"] else { return StringAutomaton.canonicalText }
        var all = ByteDFA.nothing
        for branch in try branches.branches(of: [schema.child(value, "propertyNames")]) {
            let facts = try SchemaFacts(branch, branches)
            if let values = facts.values {
                let texts = try facts.accepted(of: values).compactMap(\.string)
                let literals = texts.map { (bytes: TextEncoding.json.bytes(of: $0), tag: Int32(0)) }
                all = try all.union(try .literals(literals, budget: budget), budget: budget)
            } else if facts.kinds.contains(.string) {
                var (body, minimum, maximum) = try facts.text()
                if body === StringAutomaton.anyText { body = StringAutomaton.canonicalText }
                if minimum > 0 || maximum != nil {
                    guard minimum <= maximum ?? .max else { continue }
                    let pattern = Pattern.sequence([.start, .repetition(.set(.all), min: minimum, max: maximum), .end])
                    body = try body.intersection(
                        try .matching(pattern, encoding: .json, anywhere: true, budget: budget), budget: budget)
                }
                all = try all.union(body, budget: budget)
            }
        }
        return all
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

    /// What the element at an index must satisfy, `unevaluatedItems` included or not.
    func element(at index: Int, withUnevaluated: Bool = true) throws(ConstraintError) -> [Subschema] {
        try budget.spend(parts.count)
        var found: [Subschema] = []
        var evaluating: [BranchPart] = []
        for part in parts {
            let schema = part.schema
            let count = found.count
            if let prefix = schema.value["prefixItems"]?.array, index < prefix.count {
                found.append(schema.child(prefix[index], "prefixItems", String(index)))
            } else if let items = schema.value["items"] {
                if items.array != nil {
                    throw schema.error(.unsupported, "items", "A list is called prefixItems since 2020-12; rename it.")
                }
                found.append(schema.child(items, "items"))
            }
            if count < found.count { evaluating.append(part) }
        }
        guard withUnevaluated else { return found }
        let rest = try unevaluated("unevaluatedItems", evaluating)
        if !rest.isEmpty, let containing, rest.contains(where: { $0.value != true && $0.value != [:] }) {
            throw containing.error(
                .unsupported, "unevaluatedItems", "It is not supported together with contains; use items.")
        }
        return found + rest
    }

    /// How many elements `contains` asks for.
    func containedCounts(_ schema: Subschema) throws(ConstraintError) -> (least: Int, most: Int?) {
        let count = { (keyword: String) throws(ConstraintError) -> Int? in
            guard let value = schema.value[keyword] else { return nil }
            return try Self.count(keyword, value, schema)
        }
        return (try count("minContains") ?? 1, try count("maxContains"))
    }

    /// The automaton of the inside of the strings, and how long they may be; with or without what `format` says.
    func text(_ encoding: TextEncoding = .json, withFormats: Bool = true) throws(ConstraintError) -> Text {
        let automata = branches.automata
        var body: ByteDFA?
        var (minimum, maximum) = (minLength, maxLength)
        for (text, keyword, schema) in patterns where withFormats || keyword != "format" {
            do throws(ConstraintError) {
                let next: ByteDFA
                let pattern = try automata.pattern(text)
                if let counted = pattern.countedSet {
                    minimum = max(minimum, counted.min)
                    maximum = counted.max.map { min($0, maximum ?? .max) } ?? maximum
                    next = try automata.automaton(.repeating(counted.set, isPlain: encoding == .plain)) {
                        () throws(ConstraintError) in
                        try StringAutomaton.repeating(counted.set, encoding: encoding, budget: budget)
                    }
                } else {
                    next = try automata.automaton(ofPattern: text, encoding: encoding, anywhere: true)
                }
                body = try body?.intersection(next, budget: budget) ?? next
            } catch {
                throw ConstraintError(error.code, error.message, keyword: keyword, path: schema.place)
            }
        }
        for (pattern, texts) in forbidden {
            let other =
                if let pattern {
                    try automata.automaton(ofPattern: pattern, encoding: encoding, anywhere: true)
                } else {
                    try ByteDFA.literals(texts.map { (encoding.bytes(of: $0), 0) }, budget: budget)
                }
            let all = encoding == .plain ? StringAutomaton.plainText : StringAutomaton.canonicalText
            body = try (body ?? all).subtracting(other, budget: budget)
        }
        return (body ?? (encoding == .plain ? StringAutomaton.plainText : StringAutomaton.anyText), minimum, maximum)
    }
}
