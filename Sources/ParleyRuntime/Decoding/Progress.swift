// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// How far a reply has come.
struct Progress: Sendable {
    var state: DecodeState
    var sampler: Sampler
    /// Guesses tokens, where that is wanted.
    var lookup: PromptLookup?
    /// The tokens of the timeline that stand: the prompt and what was drawn, without guesses not yet confirmed.
    var confirmed: Int
    /// The token drawn last, over which the model may not have run yet.
    var last: TokenID?
    /// The guess that the last step ran over, after the token before it.
    var guess: [TokenID] = []
    /// The row of the last step's logits that predicts the next token.
    var row = 0

    init(state: DecodeState, sampler: Sampler, lookup: PromptLookup?, confirmed: Int) {
        self.state = state
        self.sampler = sampler
        self.lookup = lookup
        self.confirmed = confirmed
    }

    /// Takes a token that was drawn.
    mutating func accept(_ token: TokenID) {
        last = token
        sampler.accept(token)
        lookup?.append(token)
    }

    /// Whether the model has run over the token already, because it was guessed; the guess ends at the first that is
    /// wrong.
    mutating func guessed(_ token: TokenID) -> Bool {
        guard row < guess.count else { return settle() }
        guard guess[row] == token else { return settle() }
        row += 1
        confirmed += 1
        return true
    }

    /// Tells the lookup how much of the guess was right.
    private mutating func settle() -> Bool {
        lookup?.learn(guessed: guess.count, right: row)
        return false
    }
}
