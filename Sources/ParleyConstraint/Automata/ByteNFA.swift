// SPDX-License-Identifier: Apache-2.0

/// A nondeterministic automaton over bytes (Thompson's construction), with assertions for the beginning and end of the
/// text.
///
/// Characters are converted to bytes when they are added, so that accepted texts are valid UTF-8.
struct ByteNFA {
    struct Edge {
        var low: UInt8
        var high: UInt8
        var target: Int32
    }

    struct State {
        var edges: [Edge] = []
        var epsilons: [Int32] = []
        /// Empty transitions that are allowed only before the first byte.
        var startOnly: [Int32] = []
        /// Empty transitions that are allowed only after the last byte.
        var endOnly: [Int32] = []
        /// Whether the state is at a boundary between characters.
        var isBoundary: Bool
    }

    /// The last bytes of an encoded character. Characters with the same last bytes share their states.
    private struct Tail: Hashable {
        var range: ClosedRange<UInt8>
        var target: Int32
    }

    private(set) var states: [State] = []
    private var tails: [Tail: Int32] = [:]
    private let encoding: TextEncoding
    private let limit: Int
    private let budget: CompilationBudget
    /// The state at which the text is accepted.
    var accepting: Int32 = 0
    /// A state from which any text at all is accepted, if there is one.
    private(set) var universal: Int32?

    init(encoding: TextEncoding, limit: Int, budget: CompilationBudget) {
        self.encoding = encoding
        self.limit = limit
        self.budget = budget
        states.append(State(isBoundary: true))
    }

    mutating func addState(isBoundary: Bool) throws(ConstraintError) -> Int32 {
        guard states.count < limit else {
            throw ConstraintError(.tooLarge, "The pattern unrolls to too many states; repeat less, or use maxLength.")
        }
        try budget.spend(8)
        states.append(State(isBoundary: isBoundary))
        return Int32(states.count - 1)
    }

    mutating func connect(_ source: Int32, _ range: ClosedRange<UInt8>, _ target: Int32) {
        states[Int(source)].edges.append(Edge(low: range.lowerBound, high: range.upperBound, target: target))
    }

    mutating func connect(_ source: Int32, _ target: Int32) {
        states[Int(source)].epsilons.append(target)
    }

    /// Connects two states by sequences of byte ranges.
    mutating func connect(
        _ source: Int32, through sequence: [ClosedRange<UInt8>], _ target: Int32
    ) throws(ConstraintError) {
        guard let first = sequence.first else { return connect(source, target) }
        var next = target
        for range in sequence.dropFirst().reversed() {
            let tail = Tail(range: range, target: next)
            if let known = tails[tail] {
                next = known
            } else {
                let state = try addState(isBoundary: false)
                connect(state, range, next)
                tails[tail] = state
                next = state
            }
        }
        connect(source, first, next)
    }

    /// Connects two states by one character of a set.
    mutating func connect(_ source: Int32, _ set: CodePointSet, _ target: Int32) throws(ConstraintError) {
        for sequence in encoding.sequences(of: set) {
            try budget.spend(4)
            try connect(source, through: sequence, target)
        }
    }

    // MARK: Patterns

    /// Makes the automaton accept what matches a pattern: all of the text, or a part of it anywhere.
    mutating func accept(_ pattern: Pattern, anywhere: Bool) throws(ConstraintError) {
        var start: Int32 = 0
        if anywhere, !pattern.isAnchored(at: .start) {
            start = try addState(isBoundary: true)
            connect(0, start)
            try connect(start, .all, start)
        }
        accepting = try add(pattern, from: start)
        guard anywhere, !pattern.isAnchored(at: .end) else { return }
        let rest = try addState(isBoundary: true)
        connect(accepting, rest)
        try connect(rest, .all, rest)
        accepting = rest
        universal = rest
    }

    /// Adds a pattern that begins at a state.
    ///
    /// - Returns: The state after the pattern.
    private mutating func add(_ pattern: Pattern, from source: Int32) throws(ConstraintError) -> Int32 {
        switch pattern {
        case .set(let set):
            let target = try addState(isBoundary: true)
            try connect(source, set, target)
            return target
        case .sequence(let parts):
            var state = source
            for part in parts { state = try add(part, from: state) }
            return state
        case .choice(let alternatives):
            let target = try addState(isBoundary: true)
            for alternative in alternatives { connect(try add(alternative, from: source), target) }
            return target
        case .repetition(let part, let min, let max):
            return try addRepetition(of: part, min: min, max: max, from: source)
        case .start, .end:
            let target = try addState(isBoundary: true)
            if pattern == .start {
                states[Int(source)].startOnly.append(target)
            } else {
                states[Int(source)].endOnly.append(target)
            }
            return target
        }
    }

    private mutating func addRepetition(
        of part: Pattern, min: Int, max: Int?, from source: Int32
    ) throws(ConstraintError) -> Int32 {
        var state = source
        for _ in 0..<min {
            let next = try add(part, from: state)
            // The part is empty, so repeating it adds nothing.
            if next == state { break }
            state = next
        }
        guard let max else {
            // The loop gets a state of its own, so that alternatives to the loop cannot enter it.
            let loop = try addState(isBoundary: true)
            connect(state, loop)
            connect(try add(part, from: loop), loop)
            let target = try addState(isBoundary: true)
            connect(loop, target)
            return target
        }
        let target = try addState(isBoundary: true)
        for _ in min..<max {
            connect(state, target)
            let next = try add(part, from: state)
            if next == state { break }
            state = next
        }
        connect(state, target)
        return target
    }
}

extension Pattern {
    /// Whether every match lies at the beginning, or at the end, of the text.
    func isAnchored(at anchor: Pattern) -> Bool {
        switch self {
        case .start, .end: self == anchor
        case .sequence(let parts): (anchor == .start ? parts.first : parts.last)?.isAnchored(at: anchor) ?? false
        case .choice(let alternatives): alternatives.allSatisfy { $0.isAnchored(at: anchor) }
        case .set, .repetition: false
        }
    }
}
