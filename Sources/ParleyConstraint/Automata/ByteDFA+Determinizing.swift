// SPDX-License-Identifier: Apache-2.0

extension ByteDFA {
    /// Builds the automaton of a pattern. It accepts texts that match as a whole or, with `anywhere`, texts with a
    /// matching part (the rule of JSON Schema).
    static func matching(
        _ pattern: Pattern, encoding: TextEncoding, anywhere: Bool, budget: CompilationBudget
    ) throws(ConstraintError) -> ByteDFA {
        var automaton = ByteNFA(encoding: encoding, limit: budget.limits.patternStates * 4, budget: budget)
        try automaton.accept(pattern, anywhere: anywhere)
        return try determinizing(automaton, budget: budget)
    }

    /// The subset construction.
    static func determinizing(_ automaton: ByteNFA, budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        var builder = SubsetConstruction(automaton)
        return try builder.build(budget)
    }
}

/// The subset construction: each set of NFA states becomes a state of the DFA.
private struct SubsetConstruction {
    private let automaton: ByteNFA
    private var columns = [UInt8](repeating: 0, count: 256)
    private var stride = 0
    private var numbers: [[Int32]: Int32] = [:]
    private var sets: [[Int32]] = []
    /// The number of the closure in which each state was last visited, so that nothing has to be cleared between
    /// closures.
    private var visits: [Int]
    private var visit = 0

    init(_ automaton: ByteNFA) {
        self.automaton = automaton
        visits = Array(repeating: 0, count: automaton.states.count)
        var begins = [Bool](repeating: false, count: 257)
        for state in automaton.states {
            for edge in state.edges {
                begins[Int(edge.low)] = true
                begins[Int(edge.high) + 1] = true
            }
        }
        var column = 0
        for byte in 0..<256 {
            if byte > 0, begins[byte] { column += 1 }
            columns[byte] = UInt8(column)
        }
        stride = column + 1
    }

    mutating func build(_ budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        var table: [Int32] = []
        var tags: [Int32] = []
        var boundaries: [Bool] = []
        // The first set is not shared with later equal sets, because assertions for the beginning of the text hold only
        // in it.
        sets = [try closure(of: [0], isStart: true, budget)]
        var index = 0
        var buckets = [[Int32]](repeating: [], count: stride)
        while index < sets.count {
            guard sets.count <= budget.limits.patternStates else {
                throw ConstraintError(.tooLarge, "The pattern's automaton has too many states; simplify the pattern.")
            }
            let set = sets[index]
            try budget.spend(stride + set.count)
            tags.append(accepts(set, isStart: index == 0) ? 0 : -1)
            boundaries.append(set.allSatisfy { automaton.states[Int($0)].isBoundary })
            for column in 0..<stride { buckets[column].removeAll(keepingCapacity: true) }
            for member in set {
                for edge in automaton.states[Int(member)].edges {
                    let reached = columns[Int(edge.low)]...columns[Int(edge.high)]
                    try budget.spend(reached.count)
                    for column in reached {
                        buckets[Int(column)].append(edge.target)
                    }
                }
            }
            var previous: ([Int32], Int32)?
            for bucket in buckets {
                if bucket.isEmpty {
                    table.append(ByteDFA.dead)
                } else if let (same, target) = previous, same == bucket {
                    table.append(target)
                } else {
                    let target = number(of: try closure(of: bucket, isStart: false, budget))
                    table.append(target)
                    previous = (bucket, target)
                }
            }
            index += 1
        }
        return ByteDFA(columns: columns, stride: stride, table: table, tags: tags, isBoundary: boundaries)
    }

    private mutating func number(of set: [Int32]) -> Int32 {
        if let known = numbers[set] { return known }
        let number = Int32(sets.count)
        numbers[set] = number
        sets.append(set)
        return number
    }

    /// The states that are reachable without reading a byte, sorted, without those that only have empty transitions.
    private mutating func closure(
        of seeds: [Int32], isStart: Bool, _ budget: CompilationBudget
    ) throws(ConstraintError) -> [Int32] {
        visit += 1
        var steps = 0
        var pending = seeds
        var set: [Int32] = []
        while let member = pending.popLast() {
            guard visits[Int(member)] != visit else { continue }
            visits[Int(member)] = visit
            if member == automaton.universal { return [member] }
            let state = automaton.states[Int(member)]
            steps += 1 + state.epsilons.count
            if !state.edges.isEmpty || !state.endOnly.isEmpty || member == automaton.accepting { set.append(member) }
            pending += state.epsilons
            if isStart { pending += state.startOnly }
        }
        try budget.spend(steps)
        if set.isEmpty, let first = seeds.first { set = [first] }
        return set.sorted()
    }

    private func accepts(_ set: [Int32], isStart: Bool) -> Bool {
        var seen: Set<Int32> = []
        var pending = set
        while let member = pending.popLast() {
            if member == automaton.accepting { return true }
            guard seen.insert(member).inserted else { continue }
            let state = automaton.states[Int(member)]
            pending += state.epsilons + state.endOnly
            if isStart { pending += state.startOnly }
        }
        return false
    }
}
