// SPDX-License-Identifier: Apache-2.0

/// The automata of strings, without their quotes; if nothing else is said, as they are written in JSON.
enum StringAutomaton {
    /// Any string, with every escape JSON knows; surrogates come in pairs.
    static let anyText: ByteDFA = build { automaton throws(ConstraintError) in
        try automaton.connect(0, .all, 0)
        let hex: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x46, 0x61...0x66]
        let plainLead: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x43, 0x45...0x46, 0x61...0x63, 0x65...0x66]
        let d: [ClosedRange<UInt8>] = [0x44...0x44, 0x64...0x64]
        let escape: [[ClosedRange<UInt8>]] = [[0x5C...0x5C], [0x75...0x75]]
        for character in #""\/bfnrt"#.utf8 {
            try automaton.connect(0, through: [0x5C...0x5C, character...character], 0)
        }
        try automaton.connect(0, choosing: escape + [plainLead, hex, hex, hex], 0)
        try automaton.connect(0, choosing: escape + [d, [0x30...0x37], hex, hex], 0)
        let leading = escape + [d, [0x38...0x39, 0x41...0x42, 0x61...0x62], hex, hex]
        let trailing = escape + [d, [0x43...0x46, 0x63...0x66], hex, hex]
        try automaton.connect(0, choosing: leading + trailing, 0)
    }

    /// Any string, each character written in one way only.
    static let canonicalText: ByteDFA = build { automaton throws(ConstraintError) in
        try automaton.connect(0, .all, 0)
    }

    /// Any string as it is, in UTF-8.
    static let plainText: ByteDFA = build(.plain) { automaton throws(ConstraintError) in
        try automaton.connect(0, .all, 0)
    }

    /// ``anyText`` in its quotes.
    static let anyString = anyText.quoted()

    /// ``canonicalText`` in its quotes.
    static let canonicalString = canonicalText.quoted()

    /// Strings of any number of characters of one set.
    static func repeating(
        _ set: CodePointSet, encoding: TextEncoding, budget: CompilationBudget
    ) throws(ConstraintError) -> ByteDFA {
        var automaton = ByteNFA(encoding: encoding, limit: budget.limits.patternStates, budget: budget)
        try automaton.connect(0, set, 0)
        return try .determinizing(automaton, budget: budget)
    }

    private static func build(
        _ encoding: TextEncoding = .json, _ body: (inout ByteNFA) throws(ConstraintError) -> Void
    ) -> ByteDFA {
        let budget = CompilationBudget(ConstraintLimits(), isWatched: false)
        var automaton = ByteNFA(encoding: encoding, limit: 4_096, budget: budget)
        do {
            try body(&automaton)
            return try .determinizing(automaton, budget: budget)
        } catch {
            // Cannot happen: the automata have a few dozen states.
            return .nothing
        }
    }
}

extension ByteNFA {
    /// Connects two states by a sequence of bytes, each from several ranges.
    fileprivate mutating func connect(
        _ source: Int32, choosing steps: [[ClosedRange<UInt8>]], _ target: Int32
    ) throws(ConstraintError) {
        var state = source
        for (index, ranges) in steps.enumerated() {
            let next = index == steps.count - 1 ? target : try addState(isBoundary: false)
            for range in ranges { connect(state, range, next) }
            state = next
        }
    }
}

extension ByteDFA {
    /// Whether the text may end and may continue after each character, so that only its length needs to be checked.
    var isFree: Bool {
        !isEmpty && tags.indices.allSatisfy { !isBoundary[$0] || (tags[$0] >= 0 && !isFinal[$0]) }
    }
}
