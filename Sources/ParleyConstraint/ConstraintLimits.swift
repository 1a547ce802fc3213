// SPDX-License-Identifier: Apache-2.0

/// Limits on the size and cost of schemas and grammars, which may be hostile.
package struct ConstraintLimits: Sendable, Hashable {
    /// The maximum number of different subschemas in a program, after merging.
    package var subschemas: Int
    /// The maximum number of combinations of the alternatives of one schema (`anyOf`, `oneOf`, lists of types).
    package var combinations: Int
    /// The maximum depth of nested schemas, and of nested groups in patterns.
    package var schemaDepth: Int
    /// The maximum number of states of one pattern's automaton.
    package var patternStates: Int
    /// The maximum number of transitions of all automata of a program together.
    package var transitions: Int
    /// The maximum number of steps for compiling; a million steps take about ten milliseconds and at most 8 MB.
    package var steps: Int
    /// The maximum depth of nested arrays and objects in a reply.
    package var valueDepth: Int

    /// Creates limits; the defaults suffice for ordinary schemas and grammars.
    package init(
        subschemas: Int = 10_000, combinations: Int = 256, schemaDepth: Int = 96, patternStates: Int = 8_192,
        transitions: Int = 4_000_000, steps: Int = 8_000_000, valueDepth: Int = 100
    ) {
        self.subschemas = subschemas
        self.combinations = combinations
        self.schemaDepth = min(max(schemaDepth, 0), 256)
        self.patternStates = patternStates
        self.transitions = transitions
        self.steps = steps
        self.valueDepth = min(max(valueDepth, 0), 256)
    }
}
