// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Synchronization

/// Finds the first of several texts in a stream of bytes (the Aho-Corasick algorithm).
final class TriggerScanner: Sendable {
    private let table: [Int32]
    private let triggers: [Int32]
    /// For each state, the tokens that complete a trigger and continue after it.
    private let known = Mutex<[Int32: [TokenID]]>([:])

    init(_ texts: [[UInt8]]) {
        var children: [[UInt8: Int32]] = [[:]]
        var triggers: [Int32] = [-1]
        for (index, text) in texts.enumerated() where !text.isEmpty {
            var state = 0
            for byte in text {
                if let next = children[state][byte] {
                    state = Int(next)
                } else {
                    children[state][byte] = Int32(children.count)
                    state = children.count
                    children.append([:])
                    triggers.append(-1)
                }
            }
            if triggers[state] < 0 { triggers[state] = Int32(index) }
        }
        var table = [Int32](repeating: 0, count: children.count * 256)
        var fallbacks = [Int32](repeating: 0, count: children.count)
        var queue: [Int] = [0]
        var head = 0
        while head < queue.count {
            let state = queue[head]
            head += 1
            let fallback = Int(fallbacks[state])
            if triggers[state] < 0 { triggers[state] = triggers[fallback] }
            for byte in 0..<256 {
                let missed = state == 0 ? 0 : table[fallback * 256 + byte]
                guard let child = children[state][UInt8(byte)] else {
                    table[state * 256 + byte] = missed
                    continue
                }
                table[state * 256 + byte] = child
                fallbacks[Int(child)] = missed
                queue.append(Int(child))
            }
        }
        self.table = table
        self.triggers = triggers
    }

    @inline(__always)
    func next(_ state: Int32, _ byte: UInt8) -> Int32 { table[Int(state) * 256 + Int(byte)] }

    /// The index of the text that ends at a state.
    func trigger(at state: Int32) -> Int? {
        triggers[Int(state)] < 0 ? nil : Int(triggers[Int(state)])
    }

    /// The text tokens that, read in a state, complete a trigger and continue after it.
    func candidates(in trie: TokenTrie, after start: Int32) -> [TokenID] {
        if let tokens = known.withLock({ $0[start] }) { return tokens }
        var found: [TokenID] = []
        var way: [(end: Int32, state: Int32)] = [(Int32(trie.bytes.count), start)]
        var node = 0
        while node < trie.bytes.count {
            while way[way.count - 1].end <= node { way.removeLast() }
            let state = next(way[way.count - 1].state, trie.bytes[node])
            if trigger(at: state) != nil {
                let below = Int(trie.tokenStarts[node + 1])..<Int(trie.tokenStarts[Int(trie.ends[node])])
                found += trie.tokens[below]
                node = Int(trie.ends[node])
            } else {
                way.append((trie.ends[node], state))
                node += 1
            }
        }
        known.withLock { $0[start] = found }
        return found
    }
}
