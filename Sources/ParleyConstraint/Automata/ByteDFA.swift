// SPDX-License-Identifier: Apache-2.0

/// A deterministic automaton over bytes. From each of its states an accepted text can still be completed.
///
/// State 0 is the initial state. Bytes that all states treat alike share a column of the table.
final class ByteDFA: Sendable {
    /// The value that means "no state".
    static let dead: Int32 = -1

    /// The column of each byte.
    let columns: [UInt8]
    /// The number of columns of a row.
    let stride: Int
    /// The transitions: the next state at [state * stride + column].
    let table: [Int32]
    /// For each state, the tag of the text read so far; -1 if the text is not accepted.
    let tags: [Int32]
    /// For each state, whether it is at a boundary between characters.
    let isBoundary: [Bool]
    /// For each state, whether no further byte is accepted.
    let isFinal: [Bool]

    var stateCount: Int { tags.count }

    /// Whether the automaton accepts no text at all.
    var isEmpty: Bool { tags.isEmpty }

    /// Whether the empty text is accepted.
    var acceptsNothing: Bool { tags.first.map { $0 >= 0 } ?? false }

    /// Creates an automaton from a table, without the states that are unreachable or cannot lead to an accepting state.
    init(columns: [UInt8], stride: Int, table: [Int32], tags: [Int32], isBoundary: [Bool]) {
        let kept = Self.statesWorthKeeping(stride: stride, table: table, tags: tags)
        var renumbered = [Int32](repeating: Self.dead, count: tags.count)
        for (new, old) in kept.enumerated() { renumbered[old] = Int32(new) }
        var compact: [Int32] = []
        compact.reserveCapacity(kept.count * stride)
        for old in kept {
            for column in 0..<stride {
                let target = table[old * stride + column]
                compact.append(target < 0 ? Self.dead : renumbered[Int(target)])
            }
        }
        self.columns = columns
        self.stride = stride
        self.table = compact
        self.tags = kept.map { tags[$0] }
        self.isBoundary = kept.map { isBoundary[$0] }
        isFinal = kept.indices.map { row in
            compact[(row * stride)..<((row + 1) * stride)].allSatisfy { $0 < 0 }
        }
    }

    @inline(__always)
    func next(_ state: Int32, _ byte: UInt8) -> Int32 {
        table[Int(state) &* stride &+ Int(columns[Int(byte)])]
    }

    /// Whether a whole text is accepted.
    func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
        guard !isEmpty else { return false }
        var state: Int32 = 0
        for byte in bytes {
            state = next(state, byte)
            if state < 0 { return false }
        }
        return tags[Int(state)] >= 0
    }

    /// The states on a path from the first state to an accepting one, beginning with the first; empty if there is no
    /// path.
    private static func statesWorthKeeping(stride: Int, table: [Int32], tags: [Int32]) -> [Int] {
        var sources = [[Int32]](repeating: [], count: tags.count)
        for state in tags.indices {
            var last = dead
            for target in table[(state * stride)..<((state + 1) * stride)] where target >= 0 && target != last {
                sources[Int(target)].append(Int32(state))
                last = target
            }
        }
        var isAlive = tags.map { $0 >= 0 }
        var pending = tags.indices.filter { isAlive[$0] }
        while let state = pending.popLast() {
            for source in sources[state] where !isAlive[Int(source)] {
                isAlive[Int(source)] = true
                pending.append(Int(source))
            }
        }
        guard isAlive.first == true else { return [] }
        var kept = [0]
        var isKept = [Bool](repeating: false, count: tags.count)
        isKept[0] = true
        var index = 0
        while index < kept.count {
            let row = kept[index] * stride
            for target in table[row..<(row + stride)] where target >= 0 {
                guard isAlive[Int(target)], !isKept[Int(target)] else { continue }
                isKept[Int(target)] = true
                kept.append(Int(target))
            }
            index += 1
        }
        return kept
    }
}
