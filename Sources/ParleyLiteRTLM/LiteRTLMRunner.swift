// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    package import Foundation
    package import ParleyConversation
    import ParleyJSON
    import ParleyRuntime
    package import ParleySystem
    import Synchronization

    /// A model in LiteRT-LM as a runner of conversations: the library has its tokenizer, template, sampling and what holds
    /// replies to schemas.
    ///
    /// Replies are generated one after the other, each in a conversation of the library that reads the whole history.
    /// Functions are shown to the model as its template does, but calls are not told apart from text. Images are left
    /// out, and parts of a reply that should be held to a schema are refused.
    package final class LiteRTLMRunner: ModelRunner {
        /// The name of the model.
        package let modelID: String
        /// The longest conversation in tokens.
        package let contextSize: Int
        private let gate = RunnerGate()
        private let turns = Turns()
        /// Freed when the runner is unloaded.
        private let engine: Mutex<LiteRTLMEngine?>

        private init(modelID: String, engine: LiteRTLMEngine) {
            self.modelID = modelID
            contextSize = engine.context
            self.engine = Mutex(engine)
        }

        /// Loads a file.
        ///
        /// - Parameters:
        ///   - url: a file with the extension `litertlm`.
        ///   - context: the longest conversation in tokens; nil for 2,048.
        ///   - threads: the number of threads; nil for the number of processors this process may use.
        ///   - ledger: where the memory is accounted for.
        /// - Returns: the runner.
        /// - Throws: ``ConversationError`` with code `modelLoadingFailed`; `RuntimeError` for a library that cannot be used
        ///   (`unsupported`), a number of threads that is not possible, or weights that do not fit (`insufficientMemory`).
        package static func load(
            _ url: URL, context: Int? = nil, threads: Int? = nil, ledger: MemoryLedger = .process
        ) async throws -> LiteRTLMRunner {
            let library = try LiteRTLMLibrary.checked()
            let threads = try threadCount(threads)
            let context = context ?? 2_048
            guard (1...1 << 20).contains(context) else {
                throw ConversationError(.modelLoadingFailed, "A context of \(context) tokens is not possible.")
            }
            let weights = try reserveWeights(of: url, in: ledger)
            // The library has written them when they are loaded.
            defer { withExtendedLifetime(weights) {} }
            let engine = try await Turns().run {
                try LiteRTLMEngine(path: url.path, context: context, threads: threads, library: library)
            }
            return LiteRTLMRunner(modelID: url.deletingPathExtension().lastPathComponent, engine: engine)
        }

        /// Reserves the memory of a file's weights, if there is enough. What else the library takes it does not tell.
        private static func reserveWeights(of url: URL, in ledger: MemoryLedger) throws -> MemoryReservation {
            // Models in the store are links.
            let file = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.fileSizeKey])
            let sum = MemorySum([.init("weights", ByteSize(clamping: file?.fileSize ?? 0))])
            let (_, reservations) = try ledger.reserve { memory in
                guard sum.total.fits(into: memory.available) else {
                    let remedy = "Close other programs or choose a smaller model."
                    throw RuntimeError(
                        .insufficientMemory, sum.refusal(of: url.lastPathComponent, memory: memory, remedy: remedy))
                }
                return ((), bytes: [sum.total.count])
            }
            return reservations[0]
        }

        /// Generates one reply; see ``ModelRunner``.
        ///
        /// - Throws: ``ConversationError``; `CancellationError` if the task is cancelled before its turn has come.
        package func generate(
            _ request: GenerationRequest, to writer: ResponseWriter
        ) async throws -> GenerationOutcome {
            try await gate.run(writer) {
                let engine = try loaded()
                let began = ContinuousClock.now
                let (policy, options) = (request.contextPolicy, request.options)
                let fitted = try await turns.run { [contextSize] in
                    try policy.fit(request.messages, for: options, context: contextSize) { messages in
                        let prompt = try LiteRTLMPrompt(messages, request.functions, options)
                        return try LiteRTLMConversation(prompt, engine).promptTokens(prompt)
                    }
                }
                if Task.isCancelled { return GenerationOutcome(.cancelled) }
                let images = request.messages.flatMap(\.content).count { if case .image = $0 { true } else { false } }
                writer.acceptPrompt(PromptReport(droppedTurns: fitted.droppedTurns, droppedImages: images))
                // The library ends no reply before its first token.
                if options.maxTokens == 0 {
                    return GenerationOutcome(
                        .length, stats: GenerationStats(promptTokens: fitted.promptTokens, completionTokens: 0))
                }
                let prompt = try LiteRTLMPrompt(fitted.messages, request.functions, options)
                return try await reply(to: prompt, tokens: fitted.promptTokens, engine, options, began, writer)
            }
        }

        /// Generates the reply on threads of the library, and writes it here.
        private func reply(
            to prompt: LiteRTLMPrompt, tokens: Int, _ engine: LiteRTLMEngine, _ options: GenerationOptions,
            _ began: ContinuousClock.Instant, _ writer: ResponseWriter
        ) async throws -> GenerationOutcome {
            let (pieces, feed) = AsyncStream.makeStream(of: String.self)
            let running = RunningReply()
            return try await withTaskCancellationHandler {
                async let ended: Void = {
                    // Also if its turn never comes.
                    defer { feed.finish() }
                    try await turns.run {
                        let conversation = try LiteRTLMConversation(prompt, engine)
                        guard running.begin(conversation) else { return }
                        defer { running.end() }
                        try conversation.reply(to: prompt, begun: running.cancelIfAsked) { feed.yield($0) }
                    }
                }()
                var text = SnapshotText(stops: options.stop)
                var (whole, count) = ("", 0)
                var first: Duration?
                for await piece in pieces {
                    if first == nil { first = began.duration(to: .now) }
                    count += 1
                    whole += piece
                    let new = text.take(whole)
                    if !new.isEmpty { await writer.write(.text(new)) }
                    if text.isStopped { running.cancel() }
                }
                try await ended
                let rest = text.take(whole, isLast: true)
                if !rest.isEmpty { await writer.write(.text(rest)) }
                // The library gives each token as a piece, but for those that are less than a character.
                let stats = GenerationStats(promptTokens: tokens, completionTokens: count, timeToFirstToken: first)
                let reason: FinishReason =
                    text.isStopped
                    ? .stop
                    : Task.isCancelled
                        ? .cancelled
                        : options.maxTokens.map { count >= $0 } ?? false
                            ? .length : tokens + count >= contextSize ? .contextFull : .stop
                return GenerationOutcome(reason, stats: stats)
            } onCancel: {
                running.cancel()
            }
        }

        /// The number of tokens of a prompt; see ``ModelRunner``.
        ///
        /// - Throws: ``ConversationError``.
        package func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int {
            let engine = try loaded()
            return try await turns.run {
                let prompt = try LiteRTLMPrompt(messages, functions, options ?? GenerationOptions())
                return try LiteRTLMConversation(prompt, engine).promptTokens(prompt)
            }
        }

        /// Ends running generations and frees the model.
        package func unload() async {
            await gate.close()
            let last = engine.withLock { engine in
                defer { engine = nil }
                return engine
            }
            guard let last else { return }
            // On a thread that may block.
            _ = try? await turns.run { withExtendedLifetime(last) {} }
        }

        private func loaded() throws -> LiteRTLMEngine {
            try gate.requireOpen()
            guard let engine = engine.withLock({ $0 }) else {
                throw ConversationError(.modelNotLoaded, "The model has been unloaded; load it again to go on.")
            }
            return engine
        }
    }

    /// The reply that the library is generating, so that it can be ended from anywhere.
    private final class RunningReply: Sendable {
        /// Held while a reply is cancelled, so that nobody keeps its conversation beyond its turn: it would be freed while
        /// another reply uses the engine.
        private let state = Mutex<(conversation: LiteRTLMConversation?, isCancelled: Bool)>((nil, false))

        /// Returns whether the reply may begin.
        func begin(_ conversation: LiteRTLMConversation) -> Bool {
            state.withLock { state in
                state.conversation = state.isCancelled ? nil : conversation
                return !state.isCancelled
            }
        }

        /// Ends the reply if that was asked for before it had begun.
        func cancelIfAsked() {
            if state.withLock({ $0.isCancelled }) { cancel() }
        }

        func end() { state.withLock { $0.conversation = nil } }

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                state.conversation?.cancel()
            }
        }
    }
#endif
