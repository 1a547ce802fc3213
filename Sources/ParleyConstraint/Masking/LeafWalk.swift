// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

/// Runs an automaton over the whole trie of tokens: up to a million steps for a large vocabulary, and therefore without
/// bounds checks.
struct LeafWalk {
    private struct Key: Hashable {
        var count: Int32
        var state: Int32
    }

    private(set) var exits: [LeafReach.Exit] = []
    private let vocabularySize: Int
    private let wordCount: Int
    private let tellsStates: Bool
    /// One mask for each count, one after another; not used if states are distinguished, because that would take too
    /// many masks.
    private var words: [UInt64] = []
    private var lists: [Key: [TokenID]] = [:]

    init(vocabularySize: Int, tellsStates: Bool) {
        self.vocabularySize = vocabularySize
        self.tellsStates = tellsStates
        wordCount = (vocabularySize + 63) / 64
    }

    /// The groups found, as lists of tokens or, for many tokens, as masks.
    func groups() -> [LeafReach.Group] {
        if tellsStates {
            return lists.map { .init(count: $0.key.count, state: $0.key.state, tokens: $0.value) }
        }
        return stride(from: 0, to: words.count, by: max(wordCount, 1)).compactMap { start in
            let slice = words[start..<(start + wordCount)]
            let count = slice.reduce(0) { $0 + $1.nonzeroBitCount }
            guard count > 0 else { return nil }
            var group = LeafReach.Group(count: Int32(start / wordCount), state: 0, tokens: [])
            guard count <= vocabularySize / 64 else {
                group.mask = TokenMask(vocabularySize: vocabularySize, words: Array(slice))
                return group
            }
            for (index, word) in slice.enumerated() where word != 0 {
                for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 { group.tokens.append(TokenID(index * 64 + bit)) }
            }
            return group
        }
    }

    /// Characters are counted if there are bounds for them.
    mutating func run(_ automaton: ByteDFA, from start: Int32, in trie: TokenTrie, counting bounds: LengthBounds?) {
        let quote = bounds?.quote.map { Int($0) }
        let stride = automaton.stride
        let (begins, ends, accepts): (UInt8, UInt8, UInt8) = (1, 2, 4)
        let flags = automaton.tags.indices.map { state in
            (bounds != nil && automaton.isBoundary[state] ? begins : 0) | (automaton.isFinal[state] ? ends : 0)
                | (automaton.tags[state] >= 0 ? accepts : 0)
        }
        // The states and counts at each depth of the path to a node.
        var states = [Int32](repeating: start, count: trie.longest + 1)
        var begun = [Int32](repeating: 0, count: trie.longest + 1)
        trie.withNodes { bytes, jumps, depths in
            automaton.table.withUnsafeBufferPointer { table in
                var node = 0
                while node < bytes.count {
                    let depth = Int(depths[node])
                    let byte = bytes[node]
                    let state = Int(states[depth &- 1])
                    let next = table[state &* stride &+ Int(automaton.columns[Int(byte)])]
                    guard next >= 0 else {
                        node = Int(jumps[node])
                        continue
                    }
                    var count = begun[depth &- 1]
                    if flags[state] & begins != 0, Int(byte) != quote { count &+= 1 }
                    let kind = flags[Int(next)]
                    if kind & accepts != 0 { exits.append(.init(node: Int32(node), count: count)) }
                    guard kind & ends == 0 else {
                        node = Int(jumps[node])
                        continue
                    }
                    states[depth] = next
                    begun[depth] = count
                    add(trie, node, count, next)
                    node &+= 1
                }
            }
        }
    }

    @inline(__always)
    private mutating func add(_ trie: TokenTrie, _ node: Int, _ count: Int32, _ state: Int32) {
        let (first, last) = (Int(trie.tokenStarts[node]), Int(trie.tokenStarts[node &+ 1]))
        guard first < last else { return }
        if tellsStates {
            lists[Key(count: count, state: state), default: []] += trie.tokens[first..<last]
            return
        }
        let base = Int(count) &* wordCount
        if words.count <= base { words += [UInt64](repeating: 0, count: base &+ wordCount &- words.count) }
        for index in first..<last {
            let token = trie.tokens[index]
            words[base &+ Int(token >> 6)] |= 1 << UInt64(token & 63)
        }
    }
}
