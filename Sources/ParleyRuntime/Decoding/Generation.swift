// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// The generation of one reply, token by token: the decode loop.
///
/// Each call of ``next()`` runs the model in the caller's task until the next token is drawn. Cancelling the task
/// therefore stops decoding within one token, and processing of the prompt within one chunk. The caller converts the
/// tokens to text with a ``/ParleyTokenizer/StreamingDetokenizer``. A caller that needs stop strings, reasoning or
/// function calls looks for them in that text and ends the reply with ``stop()``.
///
/// ```swift
/// var generation = try Generation(of: prompt, on: timeline, model: model)
/// var text = StreamingDetokenizer(model.tokenizer, startsText: false)
/// while let token = try await generation.next() { write(text.append(token)) }
/// write(text.finish())
/// show(generation.statistics.tokensPerSecond)
/// ```
///
/// Buffers are allocated once and used for every token, so that drawing a token allocates nothing.
package struct Generation: Sendable {
    /// The most prompt tokens that are processed in one step; the reply may end between such chunks.
    static let chunk = 256

    /// The most tokens that are guessed at once; they run in one step with the token before them.
    package static let longestGuess = PromptLookup.longest

    /// Why the reply has ended; nil before its end, and if the engine failed.
    package private(set) var finishReason: FinishReason?

    /// The token counts and times of the reply so far.
    package private(set) var statistics: GenerationStatistics

    /// The number of tokens that were guessed, and how many of these guesses were correct.
    package private(set) var guesses = (made: 0, right: 0)

    /// How likely the model found the last token, and which ones it found most likely; nil if that is not wanted.
    package private(set) var likelihood: TokenLikelihood?

    private let prompt: ModelInput
    private let timeline: any TokenTimeline
    /// The same timeline, if it knows what guesses cost.
    private let pricing: (any GuessPricing)?
    private let endOfGeneration: Set<TokenID>
    private let maxTokens: Int?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let deadline: ContinuousClock.Instant?
    private var firstToken: ContinuousClock.Instant?
    private var hasFailed = false

    private let logits = LogitRows()
    /// How many of the most likely tokens to tell with each token; nil to tell nothing.
    private let likelyTokens: Int?
    /// Receives how many positions of the prompt the timeline holds, whenever more have been read.
    private let reached: (@Sendable (Int) -> Void)?
    /// The logits of the current row as the model computed them, if they are wanted.
    private var ownLogits: [Float] = []
    private var sampler: Sampler
    private var mask: TokenMask
    /// Guesses tokens; nil if the caller does not want guesses, or the timeline cannot remove them exactly.
    private var lookup: PromptLookup?
    /// How many tokens of the timeline are final: prompt tokens and drawn tokens, but not guesses that have yet to be
    /// confirmed.
    private var confirmed: Int
    /// The last token drawn; the model may not have run over it yet.
    private var last: TokenID?
    /// The guessed tokens that the last step ran over, after the token before them.
    private var guess: [TokenID] = []
    /// The row of the last step's logits that predicts the next token.
    private var row = 0
    private var step = TimelineStep(tokens: [])

    /// Prepares a reply; the model does not run before the first ``next()``.
    ///
    /// The timeline keeps the longest prefix that it has in common with the prompt, except the prompt's last token,
    /// whose logits are needed, and forgets the rest. At the end it contains the prompt and the reply.
    ///
    /// - Parameters:
    ///   - prompt: the whole prompt; it ends with a token, and has fewer positions than the timeline's capacity.
    ///   - timeline: the sequence to generate in.
    ///   - model: the model that the timeline belongs to.
    ///   - sampling: how tokens are drawn from the logits.
    ///   - stop: the rules that end the reply.
    ///   - drafts: whether to guess tokens from earlier ones and check several in one step. This makes repetitive text
    ///     faster and does not change the result.
    ///   - likelyTokens: how many of the most likely tokens ``likelihood`` tells with each token; nil for no likelihoods.
    ///   - client: whose reply it is; engines divide their time evenly over clients.
    ///   - reached: receives how many positions of the prompt the timeline holds, whenever more have been read.
    ///   - now: returns the current time.
    /// - Throws: ``RuntimeError`` with code `contextExceeded` if the prompt does not fit, `invalidInput` if it does not
    ///   end with a token or an option is out of range.
    package init(
        of prompt: ModelInput, on timeline: any TokenTimeline, model: any TokenModel,
        sampling: SamplingOptions = .init(), stop: StopRules = .init(), drafts: Bool = true,
        likelyTokens: Int? = nil, client: Int = 0, reached: (@Sendable (Int) -> Void)? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(RuntimeError) {
        try stop.validate()
        guard !prompt.isEmpty else { throw RuntimeError(.invalidInput, "The prompt has no tokens.") }
        guard prompt.endsWithToken else {
            throw RuntimeError(
                .invalidInput, "The prompt ends with an image or a sound, to which nothing can follow; add text to it.")
        }
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
        pricing = timeline as? any GuessPricing
        step.client = client
        self.now = now
        self.likelyTokens = likelyTokens
        self.reached = reached
        endOfGeneration = stop.ignoresEndOfGeneration ? [] : model.tokenizer.endOfGeneration
        maxTokens = stop.maxTokens
        start = now()
        deadline = stop.deadline(from: start)
        sampler = try Sampler(sampling)
        mask = TokenMask(vocabularySize: model.info.vocabularySize)
        lookup = drafts && timeline.rewindsExactly ? PromptLookup(capacity: timeline.capacity) : nil
        for token in prompt.tokens {
            sampler.accept(token)
            lookup?.append(token)
        }
        confirmed = timeline.rewind(to: min(timeline.contents.commonPrefix(with: prompt), prompt.count - 1))
        statistics = GenerationStatistics(promptTokens: prompt.count, cachedPromptTokens: confirmed)
    }

    /// Whether no more tokens will follow: the reply has ended, or the engine failed.
    private var hasEnded: Bool { finishReason != nil || hasFailed }

    /// Runs the model until the next token is drawn from the whole vocabulary.
    ///
    /// - Returns: the token; nil if the reply has ended, in which case ``finishReason`` gives the reason. The token
    ///   with which the model ends its turn is not returned.
    /// - Throws: any error of the timeline's step; ``RuntimeError`` with code `engineFailed` if all logits are NaN or
    ///   minus infinity. Cancellation is a finish reason and not an error.
    package nonisolated(nonsending) mutating func next() async throws -> TokenID? {
        var anything = AnyToken()
        return try await next(under: &anything)
    }

    /// Runs the model until the next token is drawn from those that a constraint allows.
    ///
    /// - Parameter constraint: is asked for the allowed tokens once the logits are computed. This function does not
    ///   tell it which token was drawn; that is the task of its owner.
    /// - Returns: the token; nil if the reply has ended, in which case ``finishReason`` gives the reason. The token
    ///   with which the model ends its turn is not returned.
    /// - Throws: the errors of ``next()``.
    package nonisolated(nonsending) mutating func next(
        under constraint: inout some TokenConstraint
    ) async throws -> TokenID? {
        guard !hasEnded else { return nil }
        do {
            try await readPrompt()
            guard !hasEnded else { return nil }
            try Task.checkCancellation()
            // If the token was guessed correctly, the model has already run over it.
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

    /// Processes the part of the prompt that is not in the timeline yet; otherwise the first ``next()`` does so.
    ///
    /// - Throws: any error of the timeline's step, including `CancellationError`.
    package nonisolated(nonsending) mutating func readPrompt() async throws {
        while !hasEnded, confirmed < prompt.count { try await readPiece() }
    }

    /// Processes the next piece of the prompt that is not in the timeline yet, for a caller that has something to do
    /// between two of them.
    ///
    /// - Returns: whether more of the prompt is left; the piece that the first token is drawn after is left to
    ///   ``next()``.
    /// - Throws: any error of the timeline's step. Cancellation is a finish reason and not an error.
    package nonisolated(nonsending) mutating func readNextPiece() async throws -> Bool {
        guard !hasEnded, prompt.count - confirmed > Self.chunk else { return false }
        do {
            try await readPiece()
        } catch is CancellationError {
            finish(.cancelled)
        } catch {
            hasFailed = true
            throw error
        }
        return !hasEnded
    }

    private nonisolated(nonsending) mutating func readPiece() async throws {
        if isOverdue(at: now()) { return finish(.timeout) }
        switch prompt.part(at: confirmed) {
        case .tokens(let tokens):
            step.tokens.removeAll(keepingCapacity: true)
            step.tokens.append(contentsOf: tokens.prefix(Self.chunk))
            let end = confirmed + step.tokens.count
            step.positions = end == prompt.count ? .last : .none
            step.following = prompt.count - end
            try await timeline.step(step, into: logits)
            confirmed = end
        case .embedding(let embedding):
            try await timeline.step(over: embedding)
            confirmed += embedding.count
        case nil: return
        }
        reached?(confirmed)
    }

    /// Ends the reply after the last token, with the reason ``FinishReason/stop``.
    package mutating func stop() {
        finish(.stop)
    }

    // MARK: Memory

    /// The number of positions that are final: of the prompt, and of the tokens that have been drawn and run.
    package var position: Int { confirmed }

    /// Empties the timeline between two tokens, so that its memory can be used for others; ``readAgain(_:)`` comes before
    /// the next token.
    ///
    /// - Returns: what the timeline held.
    package mutating func giveBack() -> ModelInput {
        forgetGuesses()
        guess.removeAll(keepingCapacity: true)
        let held = timeline.contents
        timeline.rewind(to: 0)
        return held
    }

    /// Runs the model again over what the timeline held, until the reply's time is over. No token changes by it.
    ///
    /// - Parameter held: what ``giveBack()`` returned; the timeline may hold a part of it again.
    /// - Throws: any error of the timeline's step, including `CancellationError`.
    package nonisolated(nonsending) mutating func readAgain(_ held: ModelInput) async throws {
        while let part = held.part(at: timeline.contents.count) {
            if isOverdue(at: now()) { return finish(.timeout) }
            switch part {
            case .tokens(let tokens):
                var next = TimelineStep(tokens: Array(tokens.prefix(Self.chunk)), positions: .none)
                next.following = held.count - timeline.contents.count - next.tokens.count
                next.client = step.client
                // The logits of the last token are still needed.
                try await timeline.step(next, into: LogitRows())
            case .embedding(let embedding): try await timeline.step(over: embedding)
            }
            reached?(timeline.contents.count)
        }
    }

    /// Ends the reply because there is no room for more.
    package mutating func fill() {
        if !hasEnded { finish(.contextFull) }
    }

    /// Ends the reply because its task was cancelled while it waited for room.
    package mutating func cancel() {
        if !hasEnded { finish(.cancelled) }
    }

    /// Ends the reply because its time was over while it waited for room.
    package mutating func expire() {
        if !hasEnded { finish(.timeout) }
    }

    // MARK: Tokens

    /// Whether the model has already run over the token because it was guessed correctly. The first incorrect token
    /// ends a guess.
    private mutating func confirms(_ token: TokenID) -> Bool {
        guard row < guess.count, guess[row] == token else { return false }
        row += 1
        confirmed += 1
        guesses.right += 1
        return true
    }

    /// Runs the model so that `logits[0]` predicts the token after `token`, and further rows those after each guess.
    private nonisolated(nonsending) mutating func run(over token: TokenID) async throws {
        forgetGuesses()
        guess.removeAll(keepingCapacity: true)
        let room = min(timeline.capacity - confirmed, maxTokens.map { $0 - statistics.completionTokens } ?? .max)
        let cost = max(pricing?.guessCost ?? 0, PromptLookup.usualCost)
        lookup?.guess(limit: room - 1, cost: cost, into: &guess)
        guesses.made += guess.count
        row = 0
        step.tokens.removeAll(keepingCapacity: true)
        step.tokens.append(token)
        step.tokens.append(contentsOf: guess)
        step.positions = guess.isEmpty ? .last : .all
        try await timeline.step(step, into: logits)
        confirmed += 1
    }

    /// Draws a token from the logits of the current row; nil if the constraint allows no token with a probability above
    /// zero.
    private mutating func draw(under constraint: inout some TokenConstraint) throws(RuntimeError) -> TokenID? {
        let row = logits[row]
        mask.removeAll()
        let isConstrained = constraint.allow(into: &mask)
        if isConstrained, mask.isEmpty { return nil }
        // Drawing changes the row.
        if likelyTokens != nil { ownLogits = Array(row) }
        if let token = sampler.sample(row, mask: isConstrained ? mask : nil) {
            likelihood = likelyTokens.map { count in
                ownLogits.withUnsafeMutableBufferPointer { TokenLikelihood(of: token, in: $0, top: count) }
            }
            return token
        }
        // No logit is NaN, so the model gives every allowed token a probability of zero.
        if isConstrained, !row.contains(where: \.isNaN) { return nil }
        throw RuntimeError(
            .engineFailed,
            "The model gave no number for any token that may come, so that none can be chosen. The file may be damaged; "
                + "download it again.")
    }

    /// Counts a token that was drawn, and ends the reply by the first rule that applies.
    ///
    /// - Returns: the token; nil if it is not part of the reply.
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
        sampler.accept(token, isReply: true)
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

    /// Removes unconfirmed guesses from the timeline.
    private func forgetGuesses() {
        if timeline.contents.count > confirmed { timeline.rewind(to: confirmed) }
    }
}

/// Allows every token.
private struct AnyToken: TokenConstraint {
    func allow(into mask: inout TokenMask) -> Bool { false }
}
