// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The patterns that one compilation has parsed and the automata that it has built, so that nothing is done twice.
final class AutomatonStore {
    let budget: CompilationBudget
    private var known: [Key: ByteDFA] = [:]
    private var patterns: [ExactText: Pattern] = [:]

    enum Key: Hashable {
        case pattern(ExactText, anywhere: Bool, isPlain: Bool)
        case repeating(CodePointSet, isPlain: Bool)
        case number(NumberAutomaton)
        case quoted(Identity)
        case excluding(Identity, pattern: ExactText)
        case ended(Identity, marks: [[UInt8]])
    }

    /// Which automaton it is. The automaton is kept alive, as a later one might otherwise get the same address.
    struct Identity: Hashable {
        let automaton: ByteDFA

        static func == (left: Identity, right: Identity) -> Bool { left.automaton === right.automaton }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(automaton)) }
    }

    init(_ budget: CompilationBudget) {
        self.budget = budget
    }

    /// Builds an automaton unless it has been built before.
    func automaton(
        _ key: Key, _ build: () throws(ConstraintError) -> ByteDFA
    ) throws(ConstraintError) -> ByteDFA {
        if let known = known[key] { return known }
        let automaton = try build()
        known[key] = automaton
        return automaton
    }

    /// A pattern, parsed unless it has been before.
    func pattern(_ text: String) throws(ConstraintError) -> Pattern {
        try spendLookUp(of: text)
        if let known = patterns[ExactText(text)] { return known }
        try budget.spend(8 * min(text.utf8.count, PatternParser.lengthLimit))
        let pattern = try PatternParser.parse(text, depthLimit: budget.limits.schemaDepth)
        patterns[ExactText(text)] = pattern
        return pattern
    }

    /// Looking up a pattern takes time with its length, and it may be looked up for each of many values.
    private func spendLookUp(of text: String) throws(ConstraintError) {
        try budget.spend(1 + text.utf8.count / 8)
    }

    /// The automaton of a pattern over all of a text, or anywhere in it.
    func automaton(
        ofPattern text: String, encoding: TextEncoding, anywhere: Bool
    ) throws(ConstraintError) -> ByteDFA {
        try spendLookUp(of: text)
        return try automaton(.pattern(ExactText(text), anywhere: anywhere, isPlain: encoding == .plain)) {
            () throws(ConstraintError) in
            try .matching(try pattern(text), encoding: encoding, anywhere: anywhere, budget: budget)
        }
    }

    /// An automaton between quotes.
    func quoted(_ body: ByteDFA) throws(ConstraintError) -> ByteDFA {
        if body === StringAutomaton.anyText { return StringAutomaton.anyString }
        if body === StringAutomaton.canonicalText { return StringAutomaton.canonicalString }
        return try automaton(.quoted(Identity(automaton: body))) { () throws(ConstraintError) in
            try budget.spend(body.table.count)
            return body.quoted()
        }
    }

    /// An automaton of texts as they are, without those that match a pattern as a whole.
    func excluding(_ pattern: String, from body: ByteDFA) throws(ConstraintError) -> ByteDFA {
        try automaton(.excluding(Identity(automaton: body), pattern: ExactText(pattern))) {
            () throws(ConstraintError) in
            try body.subtracting(
                try automaton(ofPattern: pattern, encoding: .plain, anywhere: false), budget: budget)
        }
    }

    /// An automaton of texts as they are, each followed by a mark; see ``ByteDFA/ended(by:budget:)``.
    func ended(_ body: ByteDFA, by marks: [[UInt8]]) throws(ConstraintError) -> ByteDFA {
        try automaton(.ended(Identity(automaton: body), marks: marks)) { () throws(ConstraintError) in
            try body.ended(by: marks, budget: budget)
        }
    }
}
