// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Synchronization

/// What tokens do from one state of a leaf's automaton, whatever stands around the leaf.
final class LeafReach: Sendable {
    /// Tokens that stay within the leaf, and alike.
    struct Group {
        /// How many characters they begin.
        var count: Int32
        /// The state they lead to; only told apart where the leaf's lengths depend on it.
        var state: Int32
        var tokens: [TokenID]
        /// The same tokens, where they are so many that whole words are faster.
        var mask: TokenMask?
    }

    /// A node of the tree at which the leaf may end.
    struct Exit {
        var node: Int32
        var count: Int32
    }

    let groups: [Group]
    let exits: [Exit]
    /// How many tokens and exits are held.
    let size: Int

    /// Walks the tree from a state.
    ///
    /// - Parameter tellsStates: Whether tokens that lead to different states come in different groups.
    init(_ automaton: ByteDFA, from start: Int32, in trie: TokenTrie, counts: Bool, tellsStates: Bool) {
        struct Key: Hashable {
            var count: Int32
            var state: Int32
        }
        var places: [Key: Int] = [:]
        var found: [Group] = []
        var exits: [Exit] = []
        // The states and counts on the way, and where the nodes below them end.
        var way: [(end: Int32, state: Int32, count: Int32)] = [(Int32(trie.bytes.count), start, 0)]
        var node = 0
        while node < trie.bytes.count {
            while way[way.count - 1].end <= node { way.removeLast() }
            let (_, state, count) = way[way.count - 1]
            let byte = trie.bytes[node]
            let next = automaton.next(state, byte)
            guard next >= 0 else {
                node = Int(trie.ends[node])
                continue
            }
            let begins = counts && automaton.isBoundary[Int(state)] && byte != UInt8(ascii: "\"")
            let nextCount = count + (begins ? 1 : 0)
            if automaton.tags[Int(next)] >= 0 { exits.append(Exit(node: Int32(node), count: nextCount)) }
            if !automaton.isFinal[Int(next)] {
                let tokens = trie.tokens(at: node)
                if !tokens.isEmpty {
                    let key = Key(count: nextCount, state: tellsStates ? next : 0)
                    if let place = places[key] {
                        found[place].tokens += tokens
                    } else {
                        places[key] = found.count
                        found.append(Group(count: nextCount, state: key.state, tokens: Array(tokens)))
                    }
                }
                if Int(trie.ends[node]) > node + 1 { way.append((trie.ends[node], next, nextCount)) }
                node += 1
            } else {
                node = Int(trie.ends[node])
            }
        }
        size = found.reduce(exits.count) { $0 + $1.tokens.count }
        groups = found.map { group in
            guard group.tokens.count > trie.vocabularySize / 64 else { return group }
            var mask = TokenMask(vocabularySize: trie.vocabularySize)
            mask.insert(group.tokens)
            return Group(count: group.count, state: group.state, tokens: [], mask: mask)
        }
        self.exits = exits
    }
}

/// Remembers what leaves reach, up to a limit.
final class LeafReachCache: Sendable {
    struct Key: Hashable {
        var automaton: ObjectIdentifier
        var state: Int32
        var counts: Bool
        var tellsStates: Bool
    }

    private struct Contents {
        var reaches: [Key: LeafReach] = [:]
        var size = 0
    }

    private let contents = Mutex(Contents())
    private let tokenLimit: Int

    init(tokenLimit: Int) {
        self.tokenLimit = tokenLimit
    }

    func reach(_ key: Key, build: () -> LeafReach) -> LeafReach {
        if let known = contents.withLock({ $0.reaches[key] }) { return known }
        // Two threads may build the same; either serves.
        let reach = build()
        contents.withLock { contents in
            if contents.size + reach.size > tokenLimit {
                contents.reaches.removeAll()
                contents.size = 0
            }
            contents.reaches[key] = reach
            contents.size += reach.size
        }
        return reach
    }
}
