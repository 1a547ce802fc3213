// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Takes schemas that must hold at once apart into branches: each a list of schemas whose own keywords, references and
/// combinations aside, must all hold. A value is valid where it satisfies one branch.
struct SchemaBranches {
    let document: SchemaDocument
    let budget: CompilationBudget

    typealias Branch = [Subschema]

    /// A schema yet to be read, and the schemas that led to it at the same place of the value.
    private struct Pending {
        var schema: Subschema
        var ancestors: [String]
    }

    private struct Progress {
        var plain: Branch = []
        var seen: Set<String> = []
        var alternatives: [(source: Subschema, options: [Pending], isExclusive: Bool)] = []
    }

    /// The branches of schemas that must all hold.
    ///
    /// - Parameter checksExclusion: Whether the branches of `oneOf` must be disjoint; left out where that has been or
    ///   will be looked at elsewhere.
    func branches(of schemas: [Subschema], checksExclusion: Bool = true) throws(ConstraintError) -> [Branch] {
        try expand(schemas.map { Pending(schema: $0, ancestors: []) }, Progress(), checksExclusion: checksExclusion)
    }

    private func expand(
        _ pending: [Pending], _ start: Progress, checksExclusion: Bool
    ) throws(ConstraintError) -> [Branch] {
        var progress = start
        guard try read(pending, into: &progress) else { return [] }
        guard !progress.alternatives.isEmpty else { return [progress.plain] }
        let (source, options, isExclusive) = progress.alternatives.removeFirst()
        if isExclusive, checksExclusion { try checkExclusion(source, options, progress) }
        var branches: [Branch] = []
        for option in options {
            try budget.spend(4 + progress.plain.count)
            branches += try expand([option], progress, checksExclusion: checksExclusion)
            guard branches.count <= budget.limits.combinations else {
                throw source.error(
                    .tooLarge, isExclusive ? "oneOf" : "anyOf",
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
            case .bool(true): continue
            case .bool(false): return false
            case .object(let object): members = object
            default:
                throw ConstraintError(.invalidSchema, "A schema must be an object or a boolean.", path: schema.path)
            }
            guard !next.ancestors.contains(schema.path) else {
                throw schema.error(.invalidSchema, "$ref", "The schema refers to itself without end.")
            }
            guard next.ancestors.count < budget.limits.schemaDepth else {
                throw schema.error(.tooLarge, "$ref", "The chain of references is too long; shorten it.")
            }
            guard progress.seen.insert(schema.path).inserted else { continue }
            try budget.spend(8 + members.count + next.ancestors.count)
            try SchemaKeywords.check(schema)
            progress.plain.append(schema)
            let ancestors = next.ancestors + [schema.path]
            func children(_ keyword: String) throws(ConstraintError) -> [Pending] {
                guard let value = members[keyword] else { return [] }
                guard let elements = value.array, !elements.isEmpty else {
                    throw schema.error(
                        .invalidSchema, keyword, "The value must be a list of schemas that is not empty.")
                }
                return elements.enumerated().map { index, element in
                    Pending(schema: schema.child(element, keyword, String(index)), ancestors: ancestors)
                }
            }
            for keyword in ["anyOf", "oneOf"] where members[keyword] != nil {
                progress.alternatives.append((schema, try children(keyword), keyword == "oneOf"))
            }
            pending += try children("allOf").reversed()
            if let reference = members["$ref"] {
                guard let reference = reference.string else {
                    throw schema.error(.invalidSchema, "$ref", "The value must be a string.")
                }
                pending.append(
                    Pending(schema: try document.resolve(reference, from: schema), ancestors: ancestors))
            }
        }
        return true
    }

    /// Makes sure that no value can satisfy two options at once, so that "exactly one" means "any".
    private func checkExclusion(
        _ source: Subschema, _ options: [Pending], _ progress: Progress
    ) throws(ConstraintError) {
        guard options.count <= 64 else {
            throw source.error(.tooLarge, "oneOf", "More than 64 branches are too many to tell apart; use anyOf.")
        }
        var alone = progress
        alone.alternatives = []
        for first in options.indices {
            for second in options.indices.dropFirst(first + 1) {
                let both = try expand([options[first], options[second]], alone, checksExclusion: false)
                for branch in both {
                    guard try SchemaFacts(branch, budget: budget).isProvablyEmpty(self, depth: 4) else {
                        throw source.error(
                            .unsupported, "oneOf",
                            "Branches \(first) and \(second) are not provably disjoint; use anyOf, or tell them apart "
                                + "by type or by a required property with different const values.")
                    }
                }
            }
        }
    }
}
