// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// Draws the tokens of a reply one after the other: all that lies between asking for logits and the token, and nothing
/// of text.
///
/// Its buffers are made once and used for every token, so that drawing allocates nothing.
package struct Decoder: Sendable {
    /// The most tokens of the prompt that are read at once; between such chunks the caller may end the reply.
    package static let chunk = 256

    /// The most tokens that are guessed at once; they run together with the one before them.
    package static let longestGuess = PromptLookup.longest

    /// The tokens of the timeline that stand: what was read of the prompt and what was drawn, without guesses not yet
    /// confirmed.
    package private(set) var confirmed: Int
    /// How many tokens were guessed, and how many of them were drawn afterwards.
    package private(set) var guesses = (made: 0, right: 0)

    private let prompt: [TokenID]
    private let timeline: any TokenTimeline
    private let constraint: (any TokenConstraint)?
    private let logits = LogitRows()
    private var sampler: Sampler
    private var mask: TokenMask?
    /// Guesses tokens, where that is wanted.
    private var lookup: PromptLookup?
    /// The token drawn last, over which the model may not have run yet.
    private var last: TokenID?
    /// The guess that the last step ran over, after the token before it.
    private var guess: [TokenID] = []
    /// The row of the last step's logits that predicts the next token.
    private var row = 0
    private var step = TimelineStep(tokens: [])

    /// Begins a reply: what the timeline holds of the prompt is kept, but for its last token, whose logits are needed;
    /// what it holds beyond is forgotten.
    ///
    /// - Parameter prompt: at least one token, and fewer than the timeline's capacity.
    /// - Throws: ``RuntimeError`` with code `invalidInput` where an option is out of range.
    package init(
        _ prompt: [TokenID], on timeline: any TokenTimeline, sampling: SamplingOptions,
        constraint: (any TokenConstraint)? = nil, drafts: Bool
    ) throws(RuntimeError) {
        self.prompt = prompt
        self.timeline = timeline
        self.constraint = constraint
        sampler = try Sampler(sampling)
        lookup = drafts && timeline.rewindsExactly ? PromptLookup(capacity: timeline.capacity) : nil
        for token in prompt {
            // Positions of images are nothing that could be repeated.
            if token >= 0 { sampler.accept(token) }
            lookup?.append(token)
        }
        let common = zip(timeline.tokens, prompt.dropLast()).prefix { $0 == $1 }.count
        confirmed = timeline.rewind(to: common)
    }

    /// Whether the prompt has been read, and ``next(limit:)`` may be called.
    package var hasReadPrompt: Bool { confirmed >= prompt.count }

    /// Reads the next chunk of the prompt.
    package nonisolated(nonsending) mutating func readChunk() async throws {
        let end = min(confirmed + Self.chunk, prompt.count)
        step.replaceTokens { $0.append(contentsOf: prompt[confirmed..<end]) }
        step.positions = end == prompt.count ? .last : .none
        try await timeline.step(step, into: logits)
        confirmed = end
    }

    /// Runs the model over the token drawn last, unless that was guessed, and draws the next.
    ///
    /// - Parameter limit: how many more tokens are wanted at most.
    /// - Returns: nil where no token is left that the constraint allows.
    /// - Throws: what the step throws; ``RuntimeError`` with code `engineFailed` where the model gives no numbers.
    package nonisolated(nonsending) mutating func next(limit: Int) async throws -> TokenID? {
        if let last, !confirms(last) { try await run(last, limit: limit) }
        guard let token = try draw() else { return nil }
        last = token
        sampler.accept(token)
        lookup?.append(token)
        return token
    }

    /// Takes guesses back that were not confirmed.
    package func forgetGuesses() {
        if timeline.tokens.count > confirmed { timeline.rewind(to: confirmed) }
    }

    /// Whether the model has run over the token already, because it was guessed. A guess ends at its first token that
    /// is wrong.
    private mutating func confirms(_ token: TokenID) -> Bool {
        guard row < guess.count, guess[row] == token else { return false }
        row += 1
        confirmed += 1
        guesses.right += 1
        return true
    }

    /// Makes `logits[0]` predict what follows `token`, and the rows after it what follows the guess.
    private nonisolated(nonsending) mutating func run(_ token: TokenID, limit: Int) async throws {
        forgetGuesses()
        guess.removeAll(keepingCapacity: true)
        lookup?.guess(limit: min(timeline.capacity - confirmed, limit) - 1, into: &guess)
        if let image = guess.firstIndex(where: { $0 < 0 }) { guess.removeSubrange(image...) }
        guesses.made += guess.count
        row = 0
        step.replaceTokens {
            $0.append(token)
            $0.append(contentsOf: guess)
        }
        step.positions = guess.isEmpty ? .last : .all
        try await timeline.step(step, into: logits)
        confirmed += 1
    }

    private mutating func draw() throws(RuntimeError) -> TokenID? {
        let row = logits[row]
        var mask: TokenMask?
        if let constraint {
            var allowed = self.mask.take() ?? TokenMask(vocabularySize: row.count)
            allowed.removeAll()
            if constraint.allow(into: &allowed) { mask = allowed }
            self.mask = allowed
            if mask?.isEmpty == true { return nil }
        }
        if let token = sampler.sample(row, mask: mask) { return token }
        // The mask has left numbers of the allowed tokens alone.
        if mask != nil, !row.contains(where: \.isNaN) { return nil }
        throw RuntimeError(
            .engineFailed,
            "The model gave no number for any token that may come, so that none can be chosen. The file may be damaged; "
                + "download it again.")
    }
}
