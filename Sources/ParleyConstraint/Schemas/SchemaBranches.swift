// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// A schema that must hold, and the schemas whose keywords applied it to the same place of the value.
struct BranchPart {
    let schema: Subschema
    /// The paths of the schemas that contain it or refer to it, itself included, for which what it evaluates counts as
    /// evaluated.
    var owners: Set<String>
}

/// Expands schemas that must all hold into branches: lists of schemas whose own keywords, without references and
/// combinations, must all hold. A value is valid where it satisfies one branch.
struct SchemaBranches {
    let document: SchemaDocument
    let automata: AutomatonStore

    var budget: CompilationBudget { automata.budget }

    typealias Branch = [BranchPart]

    /// A schema yet to be read, and the schemas that applied it to the same place of the value.
    struct Pending {
        var schema: Subschema
        /// Whether it must not hold.
        var isNegated = false
        var ancestors: [String] = []
        /// The ancestors for which what it evaluates counts: those since the last negation.
        var owners: [String] = []
        /// Whether one of the owners has `unevaluatedProperties` or `unevaluatedItems`.
        var isTracked = false

        func followed(by schema: Subschema, isNegated: Bool = false) -> Pending {
            let begins = isNegated || self.isNegated
            return Pending(
                schema: schema, isNegated: isNegated, ancestors: ancestors + [mark],
                owners: begins ? [] : owners + [self.schema.path], isTracked: isTracked && !begins)
        }

        /// What identifies it.
        var mark: String { isNegated ? schema.path + "~!not" : schema.path }
    }

    /// Several conjunctions of which one must hold.
    struct Alternatives {
        var source: Subschema
        var keyword: String
        var options: [[Pending]]
        /// The schema that has the options, where exactly one of them may hold.
        var exclusive: Pending?
    }

    struct Progress {
        var plain: Branch = []
        var seen: [String: Int] = [:]
        var alternatives: [Alternatives] = []
    }

    /// The branches of schemas that must all hold. Without `checksExclusion`, more than one option of `oneOf` may hold.
    func branches(of schemas: [Subschema], checksExclusion: Bool = true) throws(ConstraintError) -> [Branch] {
        try expand(schemas.map { Pending(schema: $0) }, Progress(), depth: 0, checksExclusion: checksExclusion)
    }

    private func expand(
        _ pending: [Pending], _ start: Progress, depth: Int, checksExclusion: Bool
    ) throws(ConstraintError) -> [Branch] {
        try budget.spend(4 + start.plain.count)
        var progress = start
        guard try read(pending, into: &progress) else { return [] }
        guard !progress.alternatives.isEmpty else { return [progress.plain] }
        var next = progress.alternatives.removeFirst()
        guard depth < 128 else {
            throw next.source.error(.tooLarge, next.keyword, "Too many alternatives apply at the same time; use fewer.")
        }
        if checksExclusion, let source = next.exclusive {
            next.options = try exclusive(next.options.flatMap { $0 }, source, progress)
        }
        var branches: [Branch] = []
        for option in next.options {
            branches += try expand(option, progress, depth: depth + 1, checksExclusion: checksExclusion)
            guard branches.count <= budget.limits.combinations else {
                throw next.source.error(
                    .tooLarge, next.keyword,
                    "The alternatives multiply to more than \(budget.limits.combinations) combinations; use fewer.")
            }
        }
        return branches
    }

    /// Reads references and conjunctions, and puts alternatives aside.
    ///
    /// - Returns: False where one of the schemas is `false`.
    private func read(_ start: [Pending], into progress: inout Progress) throws(ConstraintError) -> Bool {
        var pending = Array(start.reversed())
        while let next = pending.popLast() {
            let schema = next.schema
            let members: JSONObject
            switch schema.value {
            case .bool(next.isNegated): return false
            case .bool: continue
            case .object(let object): members = object
            default:
                throw ConstraintError(.invalidSchema, "A schema must be an object or a boolean.", path: schema.place)
            }
            let mark = next.mark
            // Its path is compared with those of all its ancestors.
            try budget.spend(8 + members.count + (1 + next.ancestors.count) * (4 + mark.utf8.count / 8))
            guard !next.ancestors.contains(mark) else {
                throw schema.error(.invalidSchema, "$ref", "The schema refers to itself without end.")
            }
            guard next.ancestors.count < budget.limits.schemaDepth else {
                throw schema.error(.tooLarge, "$ref", "The chain of references is too long; shorten it.")
            }
            if let known = progress.seen[mark] {
                if known >= 0 { progress.plain[known].owners.formUnion(next.owners) }
                continue
            }
            progress.seen[mark] = next.isNegated ? -1 : progress.plain.count
            try SchemaKeywords.check(schema)
            guard !next.isNegated else {
                let options = try negation(of: next, members)
                switch options.count {
                case 0: return false
                case 1: pending += options[0].reversed()
                default: progress.alternatives.append(Alternatives(source: schema, keyword: "not", options: options))
                }
                continue
            }
            progress.plain.append(BranchPart(schema: schema, owners: Set(next.owners + [schema.path])))
            var current = next
            if members["unevaluatedProperties"] != nil || members["unevaluatedItems"] != nil {
                current.isTracked = true
            }
            progress.alternatives += try alternatives(of: current, members)
            if let not = members["not"] {
                pending.append(current.followed(by: schema.child(not, "not"), isNegated: true))
            }
            pending += try children("allOf", of: schema).map { current.followed(by: $0) }.reversed()
            for target in try references(of: schema, members) { pending.append(current.followed(by: target)) }
        }
        return true
    }

    /// The schemas that `$ref` and `$dynamicRef` name.
    func references(of schema: Subschema, _ members: JSONObject) throws(ConstraintError) -> [Subschema] {
        var targets: [Subschema] = []
        for keyword in ["$ref", "$dynamicRef"] {
            guard let reference = members[keyword] else { continue }
            guard let reference = reference.string else {
                throw schema.error(.invalidSchema, keyword, "The value must be a string.")
            }
            targets.append(
                keyword == "$ref"
                    ? try document.resolve(reference, from: schema)
                    : try document.resolveDynamic(reference, from: schema))
        }
        return targets
    }

    /// The schemas of a list.
    func children(_ keyword: String, of schema: Subschema) throws(ConstraintError) -> [Subschema] {
        guard let value = schema.value[keyword] else { return [] }
        guard let elements = value.array, !elements.isEmpty else {
            throw schema.error(.invalidSchema, keyword, "The value must be a list of schemas that is not empty.")
        }
        return elements.enumerated().map { schema.child($1, keyword, String($0)) }
    }

    // MARK: Alternatives

    /// The alternatives of a schema.
    private func alternatives(
        of source: Pending, _ members: JSONObject
    ) throws(ConstraintError) -> [Alternatives] {
        let schema = source.schema
        var result: [Alternatives] = []
        func add(_ keyword: String, _ options: [[Pending]]) {
            result.append(Alternatives(source: schema, keyword: keyword, options: options))
        }
        if members["anyOf"] != nil {
            let options = try children("anyOf", of: schema).map { source.followed(by: $0) }
            add("anyOf", source.isTracked ? try subsets(of: options, schema) : options.map { [$0] })
        }
        if members["oneOf"] != nil {
            add("oneOf", try children("oneOf", of: schema).map { [source.followed(by: $0)] })
            result[result.count - 1].exclusive = source
        }
        if let condition = members["if"] {
            let condition = schema.child(condition, "if")
            let (then, otherwise) = (members["then"], members["else"])
            if then != nil || otherwise != nil || source.isTracked {
                add(
                    "if",
                    [
                        [source.followed(by: condition)]
                            + (then.map { [source.followed(by: schema.child($0, "then"))] } ?? []),
                        [source.followed(by: condition, isNegated: true)]
                            + (otherwise.map { [source.followed(by: schema.child($0, "else"))] } ?? []),
                    ])
            }
        }
        for (name, names) in try dependencies(of: schema) {
            add(
                "dependentRequired",
                [
                    [source.followed(by: absence(of: name, in: schema))],
                    [source.followed(by: presence(of: [name] + names, in: schema))],
                ])
        }
        for (name, value) in try named("dependentSchemas", of: schema) {
            add(
                "dependentSchemas",
                [
                    [source.followed(by: absence(of: name, in: schema))],
                    [
                        source.followed(by: presence(of: [name], in: schema)),
                        source.followed(by: schema.child(value, "dependentSchemas", name)),
                    ],
                ])
        }
        return result
    }

    /// All subsets of options that may hold together, as each option that holds adds to what is evaluated.
    private func subsets(of options: [Pending], _ schema: Subschema) throws(ConstraintError) -> [[Pending]] {
        guard options.count <= 6 else {
            throw schema.error(
                .unsupported, "anyOf", "At most 6 branches are supported below an unevaluated… keyword.")
        }
        return (1..<(1 << options.count)).map { set in options.indices.filter { set >> $0 & 1 == 1 }.map { options[$0] }
        }
    }

    /// Throws if a `oneOf` has more branches than can be compared with each other.
    func requireFewBranches(_ count: Int, of schema: Subschema) throws(ConstraintError) {
        guard count > 64 else { return }
        throw schema.error(.tooLarge, "oneOf", "At most 64 branches are supported; use anyOf.")
    }

    /// The options of `oneOf`: where two may hold at once, one must hold and the other must not.
    private func exclusive(
        _ options: [Pending], _ source: Pending, _ progress: Progress
    ) throws(ConstraintError) -> [[Pending]] {
        try requireFewBranches(options.count, of: source.schema)
        var result = options.map { [$0] }
        for first in options.indices {
            for second in options.indices.dropFirst(first + 1) {
                if try areDisjoint(options[first], options[second], progress) { continue }
                for (one, other) in [(first, second), (second, first)] {
                    result[one].append(source.followed(by: options[other].schema, isNegated: true))
                }
            }
        }
        return result
    }

    private func areDisjoint(
        _ first: Pending, _ second: Pending, _ progress: Progress
    ) throws(ConstraintError) -> Bool {
        var alone = progress
        alone.alternatives = []
        for branch in try expand([first, second], alone, depth: 0, checksExclusion: false) {
            guard try SchemaFacts(branch, self).isProvablyEmpty(depth: 4) else { return false }
        }
        return true
    }

    // MARK: Properties

    /// The entries of `dependentRequired` that ask for something.
    func dependencies(of schema: Subschema) throws(ConstraintError) -> [(name: String, names: [String])] {
        var result: [(name: String, names: [String])] = []
        for (name, value) in try named("dependentRequired", of: schema) {
            guard let elements = value.array, case let names = elements.compactMap(\.string),
                names.count == elements.count
            else { throw schema.error(.invalidSchema, "dependentRequired", "The values must be lists of strings.") }
            if !names.isEmpty { result.append((name, names)) }
        }
        return result
    }

    /// The members of a keyword that holds an object.
    func named(_ keyword: String, of schema: Subschema) throws(ConstraintError) -> [(name: String, value: JSONValue)] {
        guard let value = schema.value[keyword] else { return [] }
        guard case .object(let members) = value else {
            throw schema.error(.invalidSchema, keyword, "The value must be an object.")
        }
        try budget.spend(members.count)
        return members.elements.map { ($0.key, $0.value) }
    }

    /// The schema of objects without a property of that name.
    func absence(of name: String, in schema: Subschema) -> Subschema {
        schema.derived("without " + name, ["properties": .object([name: false])])
    }

    /// The schema of objects that have all these properties.
    func presence(of names: [String], in schema: Subschema) -> Subschema {
        schema.derived(
            "with " + JSONValue.array(names.map { .string($0) }).text(),
            ["type": "object", "required": .array(names.map { .string($0) })])
    }
}
