// SPDX-License-Identifier: Apache-2.0

// Its protocols came with the systems 27, whose Swift is 6.4.
#if canImport(FoundationModels) && compiler(>=6.4)
    public import FoundationModels
    public import ParleyConversation
    import Synchronization

    /// A runner as a model of Foundation Models, so that an app that is written for `LanguageModelSession` replies with any
    /// model that Parley runs.
    ///
    /// ```swift
    /// let model = RunnerLanguageModel(try await LocalModelRunner.load("smollm2-135m"))
    /// let session = LanguageModelSession(model: model)
    /// let response = try await session.respond(to: "What is the capital of France?")
    /// ```
    ///
    /// Instructions become system messages, and the texts of earlier entries the history; of the options temperature and
    /// the number of tokens count, and greedy sampling. It declares neither tools nor guided generation nor images, so
    /// that the system refuses requests for them.
    ///
    /// Never compiled or run by this project, whose tests run on Linux.
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    public struct RunnerLanguageModel: LanguageModel {
        /// Generates its replies.
        public typealias Executor = RunnerExecutor

        /// The runner, by its identity: sessions with the same one share an executor.
        public let executorConfiguration: RunnerExecutor.Configuration

        /// Nothing but text.
        public var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }

        /// Creates a model over a runner, which lives as long as the model.
        public init(_ runner: any ModelRunner) {
            executorConfiguration = RunnerExecutor.Configuration(runner: runner)
        }
    }

    /// Generates the replies of a ``RunnerLanguageModel``.
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    public struct RunnerExecutor: LanguageModelExecutor {
        /// The type of the models that it replies for.
        public typealias Model = RunnerLanguageModel

        /// A runner, by its identity.
        public final class Configuration: Hashable, Sendable {
            let runner: any ModelRunner

            init(runner: any ModelRunner) {
                self.runner = runner
            }

            /// Whether both are the same.
            public static func == (one: Configuration, other: Configuration) -> Bool { one === other }

            /// Hashes the identity.
            public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }

        private let runner: any ModelRunner

        /// Creates an executor over the runner of a configuration.
        public init(configuration: Configuration) throws {
            runner = configuration.runner
        }

        /// Generates the next entry of a transcript, and sends its text as it comes.
        ///
        /// - Throws: ``/ParleyConversation/ConversationError``; `LanguageModelError` for a transcript that is too long;
        ///   `CancellationError`.
        public nonisolated(nonsending) func respond(
            to request: LanguageModelExecutorGenerationRequest, model: RunnerLanguageModel,
            streamingInto channel: LanguageModelExecutorGenerationChannel
        ) async throws {
            var options = ParleyConversation.GenerationOptions()
            options.temperature = request.generationOptions.temperature.map { Float($0) }
            if request.generationOptions.samplingMode == .greedy { options.temperature = 0 }
            options.maxTokens = request.generationOptions.maximumResponseTokens
            let messages = Self.messages(of: request.transcript)
            let (pieces, input) = AsyncStream.makeStream(of: MessageResponse.self)
            let writer = ResponseWriter(onResponse: { input.yield($0) })
            let (runner, asked) = (self.runner, options)
            async let outcome = {
                defer { input.finish() }
                return try await runner.generate(GenerationRequest(messages: messages, options: asked), to: writer)
            }()
            for await case .chunk(let text) in pieces {
                await channel.send(.response(action: .appendText(text, tokenCount: 0)))
            }
            let stats: GenerationStats?
            do {
                stats = try await outcome.stats
            } catch let error as ConversationError where error.code == .promptExceedsContext {
                throw LanguageModelError.contextSizeExceeded(
                    LanguageModelError.ContextSizeExceeded(
                        contextSize: error.contextTokens ?? 0, tokenCount: error.promptTokens ?? 0,
                        debugDescription: error.message))
            }
            try Task.checkCancellation()
            guard let stats else { return }
            await channel.send(
                .response(
                    action: .updateUsage(
                        input: .init(
                            totalTokenCount: stats.promptTokens, cachedTokenCount: stats.cachedPromptTokens),
                        output: .init(totalTokenCount: stats.completionTokens, reasoningTokenCount: 0))))
        }

        /// The texts of a transcript as messages.
        private static func messages(of transcript: Transcript) -> [ChatMessage] {
            transcript.compactMap { entry in
                switch entry {
                case .instructions(let instructions): .system(text(of: instructions.segments))
                case .prompt(let prompt): .user(text(of: prompt.segments))
                case .response(let response): .assistant(text(of: response.segments))
                default: nil
                }
            }
        }

        private static func text(of segments: [Transcript.Segment]) -> String {
            segments.compactMap { segment in
                switch segment {
                case .text(let text): text.content
                case .structure(let structure): structure.content.jsonString
                default: nil
                }
            }.joined(separator: "\n")
        }
    }
#endif
