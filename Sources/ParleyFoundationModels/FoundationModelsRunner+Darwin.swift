// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationModels)
    import Foundation
    import FoundationModels
    public import ParleyConversation

    /// The model of Apple Intelligence, on this device, as a runner of conversations.
    ///
    /// It is there on devices that have Apple Intelligence turned on, from macOS 26 and iOS 26 on; creating the runner
    /// tells why it is not. System messages become its instructions, earlier messages its transcript. Text streams as it
    /// is generated. Functions and schemas are refused, images are left out (the report says how many), and parts of an
    /// answer that should be held to a schema (``HeldBlock``) are free. Of the sampling options temperature, top-k or
    /// top-p, and the seed count.
    ///
    /// The system does not say whether a reply was cut at the budget of tokens. One whose length is near it, with three
    /// bytes for a token, ends with ``FinishReason/length``.
    ///
    /// Not compiled or run by this project's tests, which run on Linux; how messages become turns is tested there.
    @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
    public final class FoundationModelsRunner: ModelRunner {
        /// The name of the model.
        public let modelID = "apple-foundation-model"
        private let gate = RunnerGate()

        /// Creates a runner of the system's model.
        ///
        /// - Throws: ``ConversationError`` with code `modelLoadingFailed` if the model cannot be used.
        public init() throws(ConversationError) {
            if let reason = Self.unavailability {
                throw ConversationError(.modelLoadingFailed, "Apple's model cannot be used: \(reason)")
            }
        }

        /// Why the model cannot be used on this device now; nil if it can.
        public static var unavailability: String? {
            switch SystemLanguageModel.default.availability {
            case .available: nil
            case .unavailable(.deviceNotEligible): "this device has no Apple Intelligence."
            case .unavailable(.appleIntelligenceNotEnabled): "turn on Apple Intelligence in the system's settings."
            case .unavailable(.modelNotReady): "it is not ready; it may still be downloading. Try again later."
            case .unavailable: "the system does not offer it."
            }
        }

        /// Generates one reply; see ``ModelRunner``.
        ///
        /// - Throws: ``ConversationError``.
        public func generate(
            _ request: GenerationRequest, to writer: ResponseWriter
        ) async throws -> GenerationOutcome {
            try await gate.run(writer) {
                var turns = try ConversationTurns(request)
                while true {
                    do {
                        return try await self.reply(to: turns, request.options, writer)
                    } catch let excess as ContextExcess {
                        guard request.contextPolicy != .error, turns.dropOldestTurn() else {
                            throw ConversationError(
                                .promptExceedsContext,
                                "The prompt does not fit into the context of Apple's model; shorten it.",
                                cause: excess.cause)
                        }
                    }
                }
            }
        }

        /// The system does not tell how many tokens a prompt has.
        ///
        /// - Throws: ``ConversationError`` with code `invalidInput`, always.
        public func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: ParleyConversation.GenerationOptions?
        ) async throws -> Int {
            throw ConversationError(.invalidInput, "Apple's model does not tell how many tokens a prompt has.")
        }

        /// Ends running generations; the memory of the model is the system's.
        public func unload() async { await gate.close() }

        /// The prompt does not fit, and nothing was written yet.
        private struct ContextExcess: Error {
            var cause: any Error
        }

        private func reply(
            to turns: ConversationTurns, _ options: ParleyConversation.GenerationOptions, _ writer: ResponseWriter
        ) async throws -> GenerationOutcome {
            // The system knows no budget of nothing, and would write on without one.
            if options.maxTokens == 0 {
                writer.acceptPrompt(turns.report)
                return GenerationOutcome(.length)
            }
            let session = LanguageModelSession(transcript: Self.transcript(turns))
            var text = SnapshotText(stops: options.stop)
            var whole = ""
            do {
                let stream = session.streamResponse(to: turns.prompt, options: Self.options(options))
                for try await snapshot in stream {
                    writer.acceptPrompt(turns.report)
                    whole = snapshot.content
                    let new = text.take(whole)
                    if !new.isEmpty { await writer.write(.text(new)) }
                    if Task.isCancelled || text.isStopped { break }
                }
            } catch is CancellationError {
                return await finish(&text, whole, .cancelled, writer)
            } catch {
                // Whatever a cancelled stream throws, it was asked to end.
                if Task.isCancelled { return await finish(&text, whole, .cancelled, writer) }
                guard Self.isContextExcess(error) else {
                    throw ConversationError(
                        .generationFailed, "Apple's model gave no reply: \(error.localizedDescription)", cause: error)
                }
                if text.byteCount == 0 { throw ContextExcess(cause: error) }
                return await finish(&text, whole, .contextFull, writer)
            }
            if Task.isCancelled, !text.isStopped { return await finish(&text, whole, .cancelled, writer) }
            let isCut = options.maxTokens.map { !text.isStopped && whole.utf8.count / 3 >= $0 } ?? false
            return await finish(&text, whole, isCut ? .length : .stop, writer)
        }

        /// Whether an error says that the context is too small. Programs that are built for the systems 27 get another error
        /// than earlier ones.
        private static func isContextExcess(_ error: any Error) -> Bool {
            #if compiler(>=6.4)
                if #available(macOS 27.0, iOS 27.0, visionOS 27.0, *),
                    case .contextSizeExceeded? = error as? LanguageModelError
                {
                    return true
                }
            #endif
            if case .exceededContextWindowSize? = error as? LanguageModelSession.GenerationError { return true }
            return false
        }

        /// Writes what was held back.
        private func finish(
            _ text: inout SnapshotText, _ whole: String, _ reason: FinishReason, _ writer: ResponseWriter
        ) async -> GenerationOutcome {
            let rest = text.take(whole, isLast: true)
            if !rest.isEmpty { await writer.write(.text(rest)) }
            return GenerationOutcome(reason)
        }

        private static func transcript(_ turns: ConversationTurns) -> Transcript {
            func segments(_ text: String) -> [Transcript.Segment] { [.text(Transcript.TextSegment(content: text))] }
            var entries: [Transcript.Entry] = []
            if !turns.instructions.isEmpty {
                entries.append(
                    .instructions(
                        Transcript.Instructions(segments: segments(turns.instructions), toolDefinitions: [])))
            }
            for turn in turns.turns {
                entries.append(.prompt(Transcript.Prompt(segments: segments(turn.prompt))))
                entries.append(.response(Transcript.Response(assetIDs: [], segments: segments(turn.response))))
            }
            return Transcript(entries: entries)
        }

        private static func options(
            _ options: ParleyConversation.GenerationOptions
        ) -> FoundationModels.GenerationOptions {
            let sampling = options.sampling
            var mode: FoundationModels.GenerationOptions.SamplingMode?
            if sampling.temperature == 0 || sampling.topP == 0 {
                mode = .greedy
            } else if let share = sampling.topP, share < 1 {
                mode = .random(probabilityThreshold: Double(share), seed: sampling.seed)
            } else if let count = sampling.topK, count > 0 {
                mode = .random(top: count, seed: sampling.seed)
            }
            // The system takes temperatures up to 1.
            let temperature = sampling.temperature.flatMap { $0 > 0 ? min(Double($0), 1) : nil }
            let most = options.maxTokens.flatMap { $0 > 0 ? $0 : nil }
            return FoundationModels.GenerationOptions(
                sampling: mode, temperature: temperature, maximumResponseTokens: most)
        }
    }
#endif
