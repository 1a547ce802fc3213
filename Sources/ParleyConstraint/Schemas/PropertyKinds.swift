// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// The kinds of values that the properties of an object may have, by its schema.
package struct PropertyKinds {
    /// Nil for an invalid schema.
    private let branches: SchemaBranches?
    /// The branches of the schema that are considered; none for an invalid one.
    private var considered: [SchemaBranches.Branch] = []

    /// Reads the schema of an object. Where it is invalid, it allows everything.
    package init(_ schema: JSONValue) {
        let budget = CompilationBudget(ConstraintLimits(), isWatched: false)
        branches = (try? SchemaDocument(schema, budget: budget)).map {
            SchemaBranches(document: $0, automata: AutomatonStore(budget))
        }
        guard let branches else { return }
        considered = (try? branches.branches(of: [branches.document.root])) ?? []
    }

    /// The kinds in each alternative of the schema, as `anyOf` has them; a single one if there are none.
    package var alternatives: [PropertyKinds] {
        guard considered.count > 1 else { return [self] }
        return considered.map { branch in
            var alternative = self
            alternative.considered = [branch]
            return alternative
        }
    }

    /// Whether an object satisfies the schema.
    package func accept(_ object: JSONObject) -> Bool {
        guard let branches else { return true }
        return (try? SchemaValidator(branches).accepts(.object(object))) ?? false
    }

    /// Whether a property can only be a string.
    package func areStrings(_ name: String) -> Bool { kinds(of: name).isSubset(of: .string) }

    /// Whether a property may have a value of this one's kind.
    package func allow(_ value: JSONValue, for name: String) -> Bool {
        kinds(of: name).isSuperset(of: JSONKinds(value))
    }

    /// The kinds of a property; all of them for one that must not exist.
    private func kinds(of name: String) -> JSONKinds {
        let kinds = try? knownKinds(of: name)
        return kinds.map { $0.isEmpty ? .all : $0 } ?? .all
    }

    private func knownKinds(of name: String) throws(ConstraintError) -> JSONKinds {
        var kinds: JSONKinds = []
        guard let branches else { return kinds }
        for outer in considered {
            let schemas = try SchemaFacts(outer, branches).property(name)
            for inner in try branches.branches(of: schemas) {
                kinds.formUnion(try SchemaFacts(inner, branches).allowedKinds)
            }
        }
        return kinds
    }
}
