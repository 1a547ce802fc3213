// SPDX-License-Identifier: Apache-2.0

extension ByteDFA {
    /// The texts that both automata accept; they must read the same encoding.
    func intersection(_ other: ByteDFA, budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        guard !isEmpty, !other.isEmpty else { return isEmpty ? self : other }
        return try ByteDFA.exploring(
            from: Pair(left: 0, right: 0), limit: budget.limits.patternStates, budget: budget,
            next: { pair, byte in
                let next = Pair(left: self.next(pair.left, byte), right: other.next(pair.right, byte))
                return next.left < 0 || next.right < 0 ? nil : next
            },
            tag: { min(self.tags[Int($0.left)], other.tags[Int($0.right)]) },
            isBoundary: { self.isBoundary[Int($0.left)] && other.isBoundary[Int($0.right)] })
    }

    /// The texts that this automaton accepts and another does not; they must read the same encoding.
    func subtracting(_ other: ByteDFA, budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        guard !isEmpty, !other.isEmpty else { return self }
        return try combining(other, budget: budget) { $0 >= 0 && $1 < 0 }
    }

    /// The texts that either automaton accepts; they must read the same encoding.
    func union(_ other: ByteDFA, budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        guard !isEmpty, !other.isEmpty else { return isEmpty ? other : self }
        return try combining(other, budget: budget) { $0 >= 0 || $1 >= 0 }
    }

    /// The product of two automata, which reads as far as either of them can; `accepts` decides by the tags of both
    /// states whether a text is accepted.
    private func combining(
        _ other: ByteDFA, budget: CompilationBudget, _ accepts: (Int32, Int32) -> Bool
    ) throws(ConstraintError) -> ByteDFA {
        try ByteDFA.exploring(
            from: Pair(left: 0, right: 0), limit: budget.limits.patternStates, budget: budget,
            next: { pair, byte in
                let next = Pair(
                    left: pair.left < 0 ? Self.dead : self.next(pair.left, byte),
                    right: pair.right < 0 ? Self.dead : other.next(pair.right, byte))
                return next.left < 0 && next.right < 0 ? nil : next
            },
            tag: { pair in
                let left = pair.left < 0 ? Self.dead : self.tags[Int(pair.left)]
                let right = pair.right < 0 ? Self.dead : other.tags[Int(pair.right)]
                return accepts(left, right) ? 0 : -1
            },
            isBoundary: { pair in
                pair.left < 0 ? other.isBoundary[Int(pair.right)] : self.isBoundary[Int(pair.left)]
            })
    }

    /// A state of the product: the states of both automata after the same bytes.
    private struct Pair: Hashable {
        var left: Int32
        var right: Int32
    }

    /// For each state, the number of accepted texts that continue from it, counted up to 2^20; nil if the first state has
    /// infinitely many.
    func completions() -> [Int32]? {
        let bound: Int32 = 1 << 20
        var widths = [Int](repeating: 0, count: stride)
        for column in columns { widths[Int(column)] += 1 }
        var counts = [Int32](repeating: bound, count: stateCount)
        var open = [Int](repeating: 0, count: stateCount)
        var sources = [[Int32]](repeating: [], count: stateCount)
        for state in 0..<stateCount {
            for target in table[(state * stride)..<((state + 1) * stride)] where target >= 0 {
                open[state] += 1
                sources[Int(target)].append(Int32(state))
            }
        }
        // Counts backwards from the final states. States on or before a cycle are never reached.
        var pending = open.indices.filter { open[$0] == 0 }
        while let state = pending.popLast() {
            var count = tags[state] >= 0 ? 1 : 0
            for column in 0..<stride {
                let target = table[state * stride + column]
                if target >= 0 { count = min(count + widths[column] * Int(counts[Int(target)]), Int(bound)) }
            }
            counts[state] = Int32(count)
            for source in sources[state] {
                open[Int(source)] -= 1
                if open[Int(source)] == 0 { pending.append(Int(source)) }
            }
        }
        return open.contains(0) && open.first == 0 ? counts : nil
    }

    /// All accepted texts; nil if there are more than the limit.
    func texts(atMost limit: Int32) -> [[UInt8]]? {
        guard !isEmpty else { return [] }
        guard let counts = completions(), counts[0] <= limit else { return nil }
        var texts: [[UInt8]] = []
        var pending: [(state: Int32, text: [UInt8])] = [(0, [])]
        while let (state, text) = pending.popLast() {
            if tags[Int(state)] >= 0 { texts.append(text) }
            for byte in (UInt8.min ... .max).reversed() {
                let target = next(state, byte)
                if target >= 0 { pending.append((target, text + [byte])) }
            }
        }
        return texts
    }

    /// The automaton for the same texts between double quotes; this automaton must read the inside of JSON strings.
    func quoted() -> ByteDFA {
        guard !isEmpty else { return self }
        let quote = UInt8(ascii: "\"")
        var columns = self.columns
        var stride = self.stride
        var table = self.table
        // Gives the quote a column of its own, as a copy of the one that it shared with other bytes.
        if columns.filter({ $0 == columns[Int(quote)] }).count > 1 {
            let shared = Int(columns[Int(quote)])
            table.removeAll()
            for row in 0..<stateCount {
                table += self.table[(row * stride)..<((row + 1) * stride)]
                table.append(self.table[row * stride + shared])
            }
            columns[Int(quote)] = UInt8(stride)
            stride += 1
        }
        let column = Int(columns[Int(quote)])
        // The rows are: the state before the opening quote, the states inside, the state after the closing quote.
        let end = Int32(stateCount + 1)
        var result = [Int32](repeating: Self.dead, count: stride)
        result[column] = 1
        result += table.map { $0 < 0 ? $0 : $0 + 1 }
        for (state, tag) in tags.enumerated() where tag >= 0 { result[(state + 1) * stride + column] = end }
        result += [Int32](repeating: Self.dead, count: stride)
        return ByteDFA(
            columns: columns, stride: stride, table: result, tags: [-1] + tags.map { _ in -1 } + [0],
            isBoundary: [false] + isBoundary + [false])
    }

    /// How far a text and the mark after it have been read.
    private struct Marked: Hashable {
        /// The state of the text's automaton, as if all bytes belonged to the text.
        var body: Int32
        /// The mark of which the last bytes are the beginning, and how many they are.
        var mark = 0
        var progress = 0
        /// Whether the text before that beginning is accepted.
        var isWhole = false
    }

    /// The automaton for the same texts, each followed by one of some marks. A mark ends the text where it first
    /// stands; this automaton must read texts as they are.
    ///
    /// Marks begin with different bytes, and the first byte of a mark does not occur again in it. Each has as many
    /// characters as the first one has bytes; of a longer one, the last bytes do not count.
    func ended(by marks: [[UInt8]], budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        guard !isEmpty, let length = marks.first?.count else { return self }
        func accepts(_ state: Int32) -> Bool { state >= 0 && tags[Int(state)] >= 0 }
        func isEnd(_ state: Marked) -> Bool { state.progress == marks[state.mark].count }
        return try ByteDFA.exploring(
            from: Marked(body: 0), limit: budget.limits.patternStates, budget: budget,
            next: { state, byte in
                guard !isEnd(state) else { return nil }
                var next = Marked(body: state.body < 0 ? Self.dead : self.next(state.body, byte))
                if state.progress > 0, marks[state.mark][state.progress] == byte {
                    (next.mark, next.progress, next.isWhole) = (state.mark, state.progress + 1, state.isWhole)
                } else if let mark = marks.firstIndex(where: { $0.first == byte }) {
                    (next.mark, next.progress, next.isWhole) = (mark, 1, accepts(state.body))
                }
                if isEnd(next) { next.body = Self.dead }
                return next.body >= 0 || next.isWhole ? next : nil
            },
            tag: { isEnd($0) ? 0 : -1 },
            isBoundary: { $0.body >= 0 ? self.isBoundary[Int($0.body)] : $0.progress < length })
    }

    /// Builds an automaton by exploring a transition function from its first state.
    static func exploring<State: Hashable>(
        from start: State, alphabet: [UInt8] = Array(0...255), limit: Int, budget: CompilationBudget,
        next: (State, UInt8) -> State?, tag: (State) -> Int32, isBoundary: (State) -> Bool = { _ in false }
    ) throws(ConstraintError) -> ByteDFA {
        var numbers: [State: Int32] = [start: 0]
        var states = [start]
        // Column 0 is for the bytes outside the alphabet, which no state accepts.
        let offset = alphabet.count == 256 ? 0 : 1
        let stride = alphabet.count + offset
        var columns = [UInt8](repeating: 0, count: 256)
        for (index, byte) in alphabet.enumerated() { columns[Int(byte)] = UInt8(index + offset) }
        var table: [Int32] = []
        var index = 0
        while index < states.count {
            guard states.count <= limit else {
                throw ConstraintError(
                    .tooLarge, "The automaton of a string or number has too many states; simplify it.")
            }
            try budget.spend(2 * stride)
            if offset == 1 { table.append(dead) }
            for byte in alphabet {
                guard let state = next(states[index], byte) else {
                    table.append(dead)
                    continue
                }
                if let number = numbers[state] {
                    table.append(number)
                } else {
                    numbers[state] = Int32(states.count)
                    table.append(Int32(states.count))
                    states.append(state)
                }
            }
            index += 1
        }
        return ByteDFA(
            columns: columns, stride: stride, table: table, tags: states.map(tag), isBoundary: states.map(isBoundary))
    }

    /// The automaton of a list of texts with their tags; for equal texts, the first tag is used.
    static func literals(
        _ texts: [(bytes: [UInt8], tag: Int32)], budget: CompilationBudget
    ) throws(ConstraintError) -> ByteDFA {
        var columns = [UInt8](repeating: 0, count: 256)
        var stride = 1
        // Column 0 is for the bytes that do not occur. 0xFF never occurs, so 256 columns suffice.
        for byte in Set(texts.flatMap(\.bytes)).sorted() {
            columns[Int(byte)] = UInt8(truncatingIfNeeded: stride)
            stride += 1
        }
        var table = [Int32](repeating: dead, count: stride)
        var tags: [Int32] = [-1]
        for text in texts {
            try budget.spend(text.bytes.count)
            var state = 0
            for byte in text.bytes {
                let cell = state * stride + Int(columns[Int(byte)])
                if table[cell] < 0 {
                    try budget.spend(stride)
                    table[cell] = Int32(tags.count)
                    tags.append(-1)
                    table += [Int32](repeating: dead, count: stride)
                }
                state = Int(table[cell])
            }
            if tags[state] < 0 { tags[state] = text.tag }
        }
        return ByteDFA(
            columns: columns, stride: stride, table: table, tags: tags,
            isBoundary: [Bool](repeating: false, count: tags.count))
    }

    /// The automaton that accepts nothing.
    static let nothing = ByteDFA(columns: [], stride: 0, table: [], tags: [], isBoundary: [])
}
