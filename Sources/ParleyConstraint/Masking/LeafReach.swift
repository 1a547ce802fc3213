// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

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
        var walk = LeafWalk(vocabularySize: trie.vocabularySize, tellsStates: tellsStates)
        walk.run(automaton, from: start, in: trie, counts: counts)
        exits = walk.exits
        groups = walk.groups()
        size = groups.reduce(exits.count) { $0 + $1.tokens.count + ($1.mask == nil ? 0 : trie.vocabularySize / 32) }
    }
}
