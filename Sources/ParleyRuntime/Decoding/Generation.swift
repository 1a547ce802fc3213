// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// One reply of a model: the decode loop as a sequence of events.
///
/// Iterating drives the loop: each call of `next()` runs the model until there is something to say, in the caller's
/// task, so that cancelling the task stops decoding within one token and the prompt within one chunk. The events are
/// any number of ``GenerationEvent/text(_:)`` and then exactly one ``GenerationEvent/finished(_:_:)``; nothing follows
/// it, or an error that is thrown. A generation is iterated once.
///
/// ```swift
/// for try await event in Generation(of: prompt, on: timeline, model: model) {
///     if case .text(let piece) = event { write(piece) }
/// }
/// ```
public struct Generation: AsyncSequence, Sendable {
    /// What iterating yields.
    public typealias Element = GenerationEvent

    let prompt: [TokenID]
    let timeline: any TokenTimeline
    let tokenizer: Tokenizer
    let sampling: SamplingOptions
    let stop: StopRules
    let constraint: (any TokenConstraint)?
    let drafts: Bool
    let now: @Sendable () -> ContinuousClock.Instant

    /// Prepares a reply; nothing runs before the first `next()`.
    ///
    /// - Parameters:
    ///   - prompt: the whole prompt. What the timeline holds of it is reused; what it holds beyond is forgotten.
    ///   - timeline: the sequence to work on. Afterwards it holds the prompt and what was generated.
    ///   - model: the model that the timeline belongs to.
    ///   - sampling: how tokens are drawn.
    ///   - stop: when to end.
    ///   - constraint: what may come; nil allows everything.
    ///   - drafts: whether to guess tokens from what came before and check several at once. It makes text that repeats
    ///     itself faster and changes no token.
    ///   - now: the clock.
    public init(
        of prompt: [TokenID], on timeline: any TokenTimeline, model: any TokenModel,
        sampling: SamplingOptions = .init(),
        stop: StopRules = .init(), constraint: (any TokenConstraint)? = nil, drafts: Bool = true,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.prompt = prompt
        self.timeline = timeline
        tokenizer = model.tokenizer
        self.sampling = sampling
        self.stop = stop
        self.constraint = constraint
        self.drafts = drafts
        self.now = now
    }

    /// Starts the reply.
    public func makeAsyncIterator() -> Iterator {
        Iterator(generation: self)
    }

    /// The state of a running reply.
    public struct Iterator: AsyncIteratorProtocol {
        private let generation: Generation
        private var reply: (decoder: Decoder, state: DecodeState)?
        private var hasEnded = false
        private var pending: GenerationEvent?

        init(generation: Generation) {
            self.generation = generation
        }

        /// Runs until there is text to show or the reply has ended.
        ///
        /// - Throws: ``RuntimeError`` where the prompt does not fit (`contextExceeded`), an option is out of range
        ///   (`invalidInput`) or the engine fails. Cancellation does not throw: it is a reason to finish.
        public mutating func next() async throws -> GenerationEvent? {
            try await next(isolation: #isolation)
        }

        /// Runs until there is text to show or the reply has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> GenerationEvent? {
            if let event = pending {
                pending = nil
                return event
            }
            do {
                while !hasEnded {
                    if var reply {
                        // Moved out, so that the buffers inside are not copied when they change.
                        self.reply = nil
                        let outcome = try await advance(&reply.decoder, &reply.state)
                        self.reply = reply
                        if let event = emit(outcome) { return event }
                    } else if let event = emit(try await begin()) {
                        return event
                    }
                }
                return nil
            } catch {
                hasEnded = true
                throw error
            }
        }

        /// Reads the prompt; afterwards the first token can be drawn.
        private nonisolated(nonsending) mutating func begin() async throws -> DecodeState.Outcome {
            let prompt = generation.prompt
            let timeline = generation.timeline
            try generation.stop.validate()
            guard !prompt.isEmpty else { throw RuntimeError(.invalidInput, "The prompt has no tokens.") }
            guard prompt.count < timeline.capacity else {
                throw RuntimeError(
                    .contextExceeded,
                    """
                    The prompt has \(prompt.count) tokens and the context \(timeline.capacity), of which at least one \
                    is for the reply. Shorten the prompt or load the model with a larger context.
                    """)
            }
            var decoder = try Decoder(
                prompt, on: timeline, sampling: generation.sampling, constraint: generation.constraint,
                drafts: generation.drafts)
            var state = DecodeState(
                tokenizer: generation.tokenizer, stop: generation.stop, constraint: generation.constraint,
                capacity: timeline.capacity,
                statistics: GenerationStatistics(promptTokens: prompt.count, cachedPromptTokens: decoder.confirmed),
                start: generation.now())
            while !decoder.hasReadPrompt {
                if state.isOverdue(at: generation.now()) { return state.finish(.timeout, at: generation.now()) }
                do {
                    try await decoder.readChunk()
                } catch is CancellationError {
                    return state.finish(.cancelled, at: generation.now())
                }
            }
            reply = (decoder, state)
            return DecodeState.Outcome()
        }

        /// Draws a token and says what it adds.
        private nonisolated(nonsending) func advance(
            _ decoder: inout Decoder, _ state: inout DecodeState
        ) async throws -> DecodeState.Outcome {
            let outcome: DecodeState.Outcome
            do {
                try Task.checkCancellation()
                if let token = try await decoder.next(limit: state.remainingTokens) {
                    outcome = state.append(token, held: decoder.confirmed, at: generation.now())
                } else {
                    outcome = state.finish(.constraint, at: generation.now())
                }
            } catch is CancellationError {
                outcome = state.finish(.cancelled, at: generation.now())
            }
            if outcome.finish != nil { decoder.forgetGuesses() }
            return outcome
        }

        /// Ends the sequence where the outcome is the last and returns the event to show first, if any.
        private mutating func emit(_ outcome: DecodeState.Outcome) -> GenerationEvent? {
            let text = outcome.text.isEmpty ? nil : GenerationEvent.text(outcome.text)
            guard let (reason, statistics) = outcome.finish else { return text }
            hasEnded = true
            reply = nil
            let finished = GenerationEvent.finished(reason, statistics)
            if text != nil { pending = finished }
            return text ?? finished
        }
    }
}
