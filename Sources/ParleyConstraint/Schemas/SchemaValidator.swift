// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// Says whether values satisfy a schema, by looking at them rather than by running an automaton.
///
/// It is what filters the values of `enum`, and what the automaton is tested against.
package struct SchemaValidator {
    private let branches: SchemaBranches

    /// Reads a schema.
    package init(_ schema: JSONValue, limits: ConstraintLimits = ConstraintLimits()) throws(ConstraintError) {
        let budget = CompilationBudget(limits)
        branches = SchemaBranches(document: try SchemaDocument(schema, budget: budget), budget: budget)
    }

    /// Whether a value satisfies the schema.
    package func accepts(_ value: JSONValue) throws(ConstraintError) -> Bool {
        try branches.accept(value, [branches.document.root])
    }
}
