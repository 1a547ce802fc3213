// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

/// For each token, the state that it leads to from one state of a leaf's automaton. This does not depend on what is
/// around the leaf.
final class LeafReach: Sendable {
    /// The inputs that determine a reach for a given vocabulary.
    struct Key: Hashable {
        var automaton: ObjectIdentifier
        var state: Int32
        var counts: Bool
        var tellsStates: Bool
    }

    /// Tokens that stay within the leaf and have the same effect.
    struct Group {
        /// The number of characters that begin in the tokens.
        var count: Int32
        /// The state after the tokens; it distinguishes groups only if the leaf's length limits depend on it.
        var state: Int32
        var tokens: [TokenID]
        /// The same tokens as a mask, if there are so many that combining masks is faster.
        var mask: TokenMask?
    }

    /// A node of the tree at which the leaf may end.
    struct Exit {
        var node: Int32
        var count: Int32
    }

    let groups: [Group]
    let exits: [Exit]
    /// The memory that it takes, in bytes.
    let bytes: Int

    /// Walks the trie from a state. With `tellsStates`, tokens that lead to different states are in different groups.
    init(
        _ automaton: ByteDFA, from start: Int32, in trie: TokenTrie, counting bounds: LengthBounds?, tellsStates: Bool
    ) {
        var walk = LeafWalk(vocabularySize: trie.vocabularySize, tellsStates: tellsStates)
        walk.run(automaton, from: start, in: trie, counting: bounds)
        exits = walk.exits
        groups = walk.groups()
        bytes = groups.reduce(exits.count * MemoryLayout<Exit>.stride) { bytes, group in
            bytes + Self.groupBytes + group.tokens.count * MemoryLayout<TokenID>.stride
                + (group.mask == nil ? 0 : trie.vocabularySize / 8)
        }
    }

    /// The bytes of a group with the headers of its arrays.
    private static let groupBytes = 128
}
