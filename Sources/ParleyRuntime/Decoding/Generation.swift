// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// One reply of a model: the decode loop as a sequence of events.
///
/// Iterating drives the loop: each call of `next()` runs the model until there is something to say, in the caller's
/// task, so that cancelling the task stops decoding within one token and the prompt within one chunk. The events are
/// any number of ``GenerationEvent/text(_:)`` and then exactly one ``GenerationEvent/finished(_:_:)``; nothing follows
/// it, or an error that is thrown. A generation is iterated once.
///
///     for try await event in Generation(of: prompt, on: timeline, model: model) {
///         if case .text(let piece) = event { write(piece) }
///     }
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
        self.drafts = drafts && timeline.rewindsExactly
        self.now = now
    }

    /// Starts the reply.
    public func makeAsyncIterator() -> Iterator {
        Iterator(generation: self)
    }

    /// The state of a running reply.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case start
            case decoding(Progress)
            case ended
        }

        /// The deadline is looked at between chunks of the prompt.
        private static let chunk = 256

        private let generation: Generation
        private let logits = LogitRows()
        private var phase = Phase.start
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
                while true {
                    switch phase {
                    case .ended: return nil
                    case .start:
                        let finish = try await begin()
                        if let finish { return emit(finish) }
                    case .decoding(var progress):
                        // Moved out, so that the buffers inside are not copied when they change.
                        phase = .ended
                        let outcome = try await advance(&progress)
                        if outcome.finish == nil { phase = .decoding(progress) }
                        if let event = emit(outcome) { return event }
                    }
                }
            } catch {
                phase = .ended
                throw error
            }
        }

        /// Processes the prompt; afterwards `logits` predict the first token.
        private nonisolated(nonsending) mutating func begin() async throws -> DecodeState.Outcome? {
            let prompt = generation.prompt
            let timeline = generation.timeline
            guard !prompt.isEmpty else { throw RuntimeError(.invalidInput, "The prompt has no tokens.") }
            guard prompt.count < timeline.capacity else {
                throw RuntimeError(
                    .contextExceeded,
                    """
                    The prompt has \(prompt.count) tokens and the context \(timeline.capacity), of which at least one \
                    is for the reply. Shorten the prompt or load the model with a larger context.
                    """)
            }
            var sampler = try Sampler(generation.sampling)
            // The last token runs again even where the timeline holds it: its logits are needed.
            let common = zip(timeline.tokens, prompt.dropLast()).prefix { $0 == $1 }.count
            let cached = timeline.rewind(to: common)
            var state = DecodeState(
                tokenizer: generation.tokenizer, stop: generation.stop, constraint: generation.constraint,
                capacity: timeline.capacity,
                statistics: GenerationStatistics(promptTokens: prompt.count, cachedPromptTokens: cached),
                start: generation.now())
            var lookup = generation.drafts ? PromptLookup(capacity: timeline.capacity + 1) : nil
            for token in prompt {
                // Positions of images are nothing that could be repeated.
                if token >= 0 { sampler.accept(token) }
                lookup?.append(token)
            }
            for start in stride(from: cached, to: prompt.count, by: Self.chunk) {
                let end = Swift.min(start + Self.chunk, prompt.count)
                if state.isOverdue(at: generation.now()) { return state.finish(.timeout, at: generation.now()) }
                do {
                    try await timeline.step(
                        TimelineStep(
                            tokens: Array(prompt[start..<end]), positions: end == prompt.count ? .last : .none),
                        into: logits)
                } catch is CancellationError {
                    return state.finish(.cancelled, at: generation.now())
                }
            }
            phase = .decoding(Progress(state: state, sampler: sampler, lookup: lookup, confirmed: prompt.count))
            return nil
        }

        /// Runs the model over the last token, if it has not been run, and draws the next.
        private nonisolated(nonsending) func advance(_ progress: inout Progress) async throws -> DecodeState.Outcome {
            let timeline = generation.timeline
            var outcome: DecodeState.Outcome
            do {
                try Task.checkCancellation()
                if let token = progress.last { try await run(token, &progress) }
                if let token = progress.sampler.sample(logits[progress.row], under: generation.constraint) {
                    progress.accept(token)
                    outcome = progress.state.append(token, held: progress.confirmed, at: generation.now())
                } else {
                    outcome = progress.state.finish(.constraint, at: generation.now())
                }
            } catch is CancellationError {
                outcome = progress.state.finish(.cancelled, at: generation.now())
            }
            if outcome.finish != nil, timeline.tokens.count > progress.confirmed {
                timeline.rewind(to: progress.confirmed)
            }
            return outcome
        }

        /// Makes `logits[progress.row]` predict what follows `token`: at once where the token was guessed, else by a
        /// step over it and the next guess.
        private nonisolated(nonsending) func run(_ token: TokenID, _ progress: inout Progress) async throws {
            if progress.guessed(token) { return }
            let timeline = generation.timeline
            if timeline.tokens.count > progress.confirmed { timeline.rewind(to: progress.confirmed) }
            let limit = Swift.min(timeline.capacity - progress.confirmed, progress.state.remainingTokens) - 1
            progress.guess = Array((progress.lookup?.guess(limit: limit) ?? []).prefix { $0 >= 0 })
            progress.row = 0
            try await timeline.step(
                TimelineStep(tokens: [token] + progress.guess, positions: progress.guess.isEmpty ? .last : .all),
                into: logits)
            progress.confirmed += 1
        }

        /// Ends the sequence where the outcome is the last and returns the event to show first, if any.
        private mutating func emit(_ outcome: DecodeState.Outcome) -> GenerationEvent? {
            let text = outcome.text.isEmpty ? nil : GenerationEvent.text(outcome.text)
            guard let (reason, statistics) = outcome.finish else { return text }
            phase = .ended
            let finished = GenerationEvent.finished(reason, statistics)
            if text != nil { pending = finished }
            return text ?? finished
        }
    }
}
