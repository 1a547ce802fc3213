// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// One reply of a model, token by token: the decode loop.
///
/// Each call of ``next()`` runs the model in the caller's task until the next token is drawn, so that cancelling the
/// task stops decoding within one token and the prompt within one chunk. The caller makes the text, with a
/// ``/ParleyTokenizer/StreamingDetokenizer``; where stop strings, reasoning or function calls count, it looks for them
/// in that text and ends the reply with ``stop()``.
///
/// ```swift
/// var generation = try Generation(of: prompt, on: timeline, model: model)
/// var text = StreamingDetokenizer(model.tokenizer, startsText: false)
/// while let token = try await generation.next() { write(text.append(token)) }
/// write(text.finish())
/// show(generation.statistics.tokensPerSecond)
/// ```
///
/// Its buffers are made once and used for every token, so that drawing allocates nothing.
package struct Generation: Sendable {
    /// The most tokens of the prompt that are read at once; between such chunks the reply may end.
    static let chunk = 256

    /// The most tokens that are guessed at once; they run together with the one before them.
    package static let longestGuess = PromptLookup.longest

    /// Why the reply has ended; nil before, and where the engine failed.
    package private(set) var finishReason: FinishReason?

    /// What the reply has cost so far.
    package private(set) var statistics: GenerationStatistics

    /// How many tokens were guessed, and how many of them were drawn afterwards.
    package private(set) var guesses = (made: 0, right: 0)

    private let prompt: [TokenID]
    private let timeline: any TokenTimeline
    private let endOfGeneration: Set<TokenID>
    private let maxTokens: Int?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let deadline: ContinuousClock.Instant?
    private var firstToken: ContinuousClock.Instant?
    private var hasFailed = false

    private let logits = LogitRows()
    private var sampler: Sampler
    private var mask: TokenMask
    /// Guesses tokens, where the caller asked for it.
    private var lookup: PromptLookup?
    /// How many tokens of the timeline are final: those read from the prompt and those drawn, without guesses that are
    /// not yet confirmed.
    private var confirmed: Int
    /// The token drawn last, over which the model may not have run yet.
    private var last: TokenID?
    /// The guess that the last step ran over, after the token before it.
    private var guess: [TokenID] = []
    /// The row of the last step's logits that predicts the next token.
    private var row = 0
    private var step = TimelineStep(tokens: [])

    /// Begins a reply; the model does not run before the first ``next()``.
    ///
    /// The prefix of the prompt that the timeline holds is kept, but for the prompt's last token, whose logits are
    /// needed; the rest is forgotten. Afterwards the timeline holds the prompt and the reply.
    ///
    /// - Parameters:
    ///   - prompt: the whole prompt; at least one token, and fewer than the timeline's capacity.
    ///   - timeline: the sequence to work on.
    ///   - model: the model that the timeline belongs to.
    ///   - sampling: how tokens are drawn.
    ///   - stop: when to end.
    ///   - drafts: whether to guess tokens from earlier ones and check several at once. It makes repetitive text faster
    ///     and changes no token.
    ///   - now: the clock.
    /// - Throws: ``RuntimeError`` with code `contextExceeded` where the prompt does not fit, `invalidInput` where it
    ///   has no tokens or an option is out of range.
    package init(
        of prompt: [TokenID], on timeline: any TokenTimeline, model: any TokenModel,
        sampling: SamplingOptions = .init(), stop: StopRules = .init(), drafts: Bool = true,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(RuntimeError) {
        try stop.validate()
        guard !prompt.isEmpty else { throw RuntimeError(.invalidInput, "The prompt has no tokens.") }
        guard prompt.count < timeline.capacity else {
            throw RuntimeError(
                .contextExceeded,
                """
                The prompt has \(prompt.count) tokens and the context \(timeline.capacity), of which at least one is for \
                the reply. Shorten the prompt or load the model with a larger context.
                """)
        }
        self.prompt = prompt
        self.timeline = timeline
        self.now = now
        endOfGeneration = stop.ignoresEndOfGeneration ? [] : model.tokenizer.endOfGeneration
        maxTokens = stop.maxTokens
        start = now()
        deadline = stop.deadline(from: start)
        sampler = try Sampler(sampling)
        mask = TokenMask(vocabularySize: model.info.vocabularySize)
        lookup = drafts && timeline.rewindsExactly ? PromptLookup(capacity: timeline.capacity) : nil
        for token in prompt {
            // Positions of images have no tokens that could be repeated.
            if token >= 0 { sampler.accept(token) }
            lookup?.append(token)
        }
        let common = zip(timeline.tokens, prompt.dropLast()).prefix { $0 == $1 }.count
        confirmed = timeline.rewind(to: common)
        statistics = GenerationStatistics(promptTokens: prompt.count, cachedPromptTokens: confirmed)
    }

    /// Whether nothing more comes: the reply has ended, or the engine failed.
    private var hasEnded: Bool { finishReason != nil || hasFailed }

    /// Runs the model until the next token is drawn, any of the vocabulary.
    ///
    /// - Returns: nil when the reply has ended; ``finishReason`` says why. The token that ends the model's turn is not
    ///   returned.
    /// - Throws: what the timeline's step throws; ``RuntimeError`` with code `engineFailed` where the model gives no
    ///   numbers. Cancellation does not throw: it is a reason to end.
    package nonisolated(nonsending) mutating func next() async throws -> TokenID? {
        var anything = AnyToken()
        return try await next(under: &anything)
    }

    /// Runs the model until the next token is drawn, one that a constraint allows.
    ///
    /// - Parameter constraint: is asked for the allowed tokens once the logits are computed. Its owner, not this call,
    ///   tells it which token was drawn.
    /// - Returns: nil when the reply has ended; ``finishReason`` says why. The token that ends the model's turn is not
    ///   returned.
    /// - Throws: what ``next()`` throws.
    package nonisolated(nonsending) mutating func next(
        under constraint: inout some TokenConstraint
    ) async throws -> TokenID? {
        guard !hasEnded else { return nil }
        do {
            try await readPrompt()
            guard !hasEnded else { return nil }
            try Task.checkCancellation()
            // A token that was guessed has been run over already.
            if let last, !confirms(last) { try await run(over: last) }
            guard let token = try draw(under: &constraint) else {
                finish(.constraint)
                return nil
            }
            return take(token)
        } catch is CancellationError {
            finish(.cancelled)
            return nil
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Reads the part of the prompt that the timeline does not hold; ``next()`` does so where this has not been called.
    ///
    /// - Throws: what the timeline's step throws, `CancellationError` included.
    package nonisolated(nonsending) mutating func readPrompt() async throws {
        while !hasEnded, confirmed < prompt.count {
            if isOverdue(at: now()) { return finish(.timeout) }
            let end = min(confirmed + Self.chunk, prompt.count)
            step.tokens.removeAll(keepingCapacity: true)
            step.tokens.append(contentsOf: prompt[confirmed..<end])
            step.positions = end == prompt.count ? .last : .none
            try await timeline.step(step, into: logits)
            confirmed = end
        }
    }

    /// Ends the reply after the last token, for a reason of the caller's; it counts as ``FinishReason/stop``.
    package mutating func stop() {
        finish(.stop)
    }

    // MARK: Tokens

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
    private nonisolated(nonsending) mutating func run(over token: TokenID) async throws {
        forgetGuesses()
        guess.removeAll(keepingCapacity: true)
        let room = min(timeline.capacity - confirmed, maxTokens.map { $0 - statistics.completionTokens } ?? .max)
        lookup?.guess(limit: room - 1, into: &guess)
        if let image = guess.firstIndex(where: { $0 < 0 }) { guess.removeSubrange(image...) }
        guesses.made += guess.count
        row = 0
        step.tokens.removeAll(keepingCapacity: true)
        step.tokens.append(token)
        step.tokens.append(contentsOf: guess)
        step.positions = guess.isEmpty ? .last : .all
        try await timeline.step(step, into: logits)
        confirmed += 1
    }

    /// Draws from the row's logits; nil where no token is left that the constraint allows.
    private mutating func draw(under constraint: inout some TokenConstraint) throws(RuntimeError) -> TokenID? {
        let row = logits[row]
        mask.removeAll()
        let isConstrained = constraint.allow(into: &mask)
        if isConstrained, mask.isEmpty { return nil }
        if let token = sampler.sample(row, mask: isConstrained ? mask : nil) { return token }
        // No logit is NaN: the model gives every allowed token a probability of zero.
        if isConstrained, !row.contains(where: \.isNaN) { return nil }
        throw RuntimeError(
            .engineFailed,
            "The model gave no number for any token that may come, so that none can be chosen. The file may be damaged; "
                + "download it again.")
    }

    /// Counts a token that was drawn, and ends the reply by the first rule that says so.
    ///
    /// - Returns: nil where it is no part of the reply.
    private mutating func take(_ token: TokenID) -> TokenID? {
        let time = now()
        if firstToken == nil {
            firstToken = time
            statistics.timeToFirstToken = time - start
        }
        statistics.decodingTime = time - (firstToken ?? time)
        if endOfGeneration.contains(token) {
            finish(.stop)
            return nil
        }
        if maxTokens == 0 {
            finish(.length)
            return nil
        }
        last = token
        sampler.accept(token)
        lookup?.append(token)
        statistics.completionTokens += 1
        if statistics.completionTokens == maxTokens {
            finish(.length)
        } else if confirmed >= timeline.capacity {
            finish(.contextFull)
        } else if isOverdue(at: time) {
            finish(.timeout)
        }
        return token
    }

    private func isOverdue(at time: ContinuousClock.Instant) -> Bool {
        deadline.map { time >= $0 } ?? false
    }

    private mutating func finish(_ reason: FinishReason) {
        finishReason = reason
        forgetGuesses()
    }

    /// Removes guesses that were not confirmed from the timeline.
    private func forgetGuesses() {
        if timeline.tokens.count > confirmed { timeline.rewind(to: confirmed) }
    }
}

/// Allows every token.
private struct AnyToken: TokenConstraint {
    func allow(into mask: inout TokenMask) -> Bool { false }
}
