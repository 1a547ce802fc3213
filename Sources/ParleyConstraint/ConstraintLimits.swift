// SPDX-License-Identifier: Apache-2.0

/// What a schema or a grammar may cost, so that a hostile one is refused rather than run.
package struct ConstraintLimits: Sendable, Hashable {
    /// How many different subschemas, after merging, a program may hold.
    package var subschemas: Int
    /// How many combinations the alternatives of one schema (`anyOf`, `oneOf`, lists of types) may multiply to.
    package var combinations: Int
    /// How deep a schema may nest, and how deep pattern groups may.
    package var schemaDepth: Int
    /// How many states the automaton of one pattern may have.
    package var patternStates: Int
    /// How many transitions the automata of one program may hold together.
    package var transitions: Int
    /// How many steps compiling may take; a million take some ten milliseconds and at most 8 MB.
    package var steps: Int
    /// How deep the arrays and objects of a reply may nest.
    package var valueDepth: Int

    /// Creates limits; the defaults allow what people write and refuse what only an attacker would.
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
