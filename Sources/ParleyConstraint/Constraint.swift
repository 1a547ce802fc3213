// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
package import ParleyTokenizer

/// A reply in progress that must follow a program. Before each token it provides a mask of the allowed tokens; then it
/// is told the token.
///
/// ```swift
/// var constraint = Constraint(TokenMasks(program, TokenTrie(tokenizer)))
/// try constraint.allow(into: &mask)
/// if let token = sampler.sample(logits, mask: mask) { constraint.accept(token) }
/// ```
package struct Constraint: Sendable {
    /// The program, combined with the vocabulary.
    package let masks: TokenMasks
    /// The state of the program after the reply so far.
    package private(set) var state: ConstraintState

    /// Creates a constraint at the beginning of a reply.
    package init(_ masks: TokenMasks) {
        self.masks = masks
        state = ConstraintState(masks.program)
    }

    /// Sets a mask to the tokens that may come next.
    ///
    /// - Parameters:
    ///   - mask: The mask to set.
    ///   - deadline: The latest time to finish; nil for none. It also ends when the task is cancelled.
    /// - Throws: ``ConstraintError`` as ``TokenMasks/allow(_:into:deadline:)`` does.
    package func allow(
        into mask: inout TokenMask, deadline: ContinuousClock.Instant? = nil
    ) throws(ConstraintError) {
        try masks.allow(state, into: &mask, deadline: deadline)
    }

    /// Advances the state by a token.
    ///
    /// - Returns: Whether the token is allowed; if not, nothing changes. A token that ends a generation is allowed
    ///   where the reply may end, and does not change the state.
    package mutating func accept(_ token: TokenID) -> Bool {
        if masks.trie.endOfGeneration.contains(token) { return state.canEnd }
        let bytes = masks.trie.bytes(of: token)
        return !bytes.isEmpty && state.advance(bytes)
    }

    /// Reads one byte of a token.
    mutating func advance(_ byte: UInt8) -> Bool { state.advance(byte) }

    /// Whether the reply may end here.
    package var canEnd: Bool { state.canEnd }

    /// Whether the reply must end here.
    package var isComplete: Bool { state.isComplete }
}
