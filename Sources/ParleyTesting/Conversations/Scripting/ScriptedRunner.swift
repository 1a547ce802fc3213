// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyDialect
import Synchronization

/// A runner without a model that gives scripted replies: for tests and previews of apps.
///
/// ```swift
/// let runner = ScriptedRunner(replies: ["Paris.", "You are welcome."])
/// let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
/// ```
///
/// It keeps all rules of a real runner: reasoning and function calls are found in its text, budgets and the context
/// limit end it, cancelling stops it at the next token. It can be used from any thread.
public final class ScriptedRunner: ModelRunner {
    /// The model that the runner simulates.
    public struct Configuration: Sendable {
        /// The model's name.
        public var modelID = "scripted"
        /// The size of the context in tokens.
        public var contextTokens = 4_096
        /// How the model is told of functions and how it calls them.
        public var functionCalls = FunctionCallSupport(format: .hermes, takesFunctions: true)
        /// The tags of reasoning.
        public var reasoning: ReasoningTags? = .think
        /// Whether replies begin inside reasoning.
        public var startsInsideReasoning = false
        /// The size of a prompt in tokens: by default its words, those of functions included, and two a message.
        public var promptTokens: @Sendable (PreparedPrompt) -> Int = ScriptedRunner.words
        /// The clock for delays and timeouts.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates a configuration with the defaults.
        public init() {}
    }

    private struct State {
        var requests: [GenerationRequest] = []
        var endedConversations: [ConversationID] = []
    }

    private let configuration: Configuration
    private let reply: @Sendable (GenerationRequest, Int) -> ScriptedReply
    private let gate = RunnerGate()
    /// No other lock is taken inside this one.
    private let state = Mutex(State())

    /// Creates a runner that chooses its replies.
    ///
    /// - Parameters:
    ///   - configuration: the model that the runner simulates.
    ///   - reply: the reply to a request; the number counts the runner's requests from 0.
    public init(
        _ configuration: Configuration = Configuration(),
        reply: @escaping @Sendable (_ request: GenerationRequest, _ number: Int) -> ScriptedReply
    ) {
        self.configuration = configuration
        self.reply = reply
    }

    /// Creates a runner that gives these replies one after the other, and the last one again and again.
    public convenience init(_ configuration: Configuration = Configuration(), replies: [ScriptedReply]) {
        self.init(configuration) { _, number in
            replies.isEmpty ? "" : replies[min(number, replies.count - 1)]
        }
    }

    /// The model's name.
    public var modelID: String { configuration.modelID }

    /// The requests so far, in order.
    public var requests: [GenerationRequest] { state.withLock { $0.requests } }

    /// The conversations that are gone, in order.
    public var endedConversations: [ConversationID] { state.withLock { $0.endedConversations } }

    /// Gives the scripted reply to the request.
    ///
    /// - Throws: `ConversationError`, and what the script throws.
    public func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        return try await gate.run(writer) {
            var performance = ScriptedPerformance(
                request: request, reply: reply(request, number), configuration: configuration, writer: writer)
            return try await performance.run()
        }
    }

    /// The size of the prompt by the configuration's measure.
    ///
    /// - Throws: `ConversationError` with code `modelNotLoaded` after ``unload()``.
    public func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        try gate.requireOpen()
        return configuration.promptTokens(
            PreparedPrompt(
                messages: messages, functions: functions, options: options ?? GenerationOptions(),
                support: configuration.functionCalls))
    }

    /// Ends running replies and refuses all later requests.
    public func unload() async {
        await gate.close()
    }

    /// Notes the end of a conversation.
    public func conversationEnded(_ id: ConversationID) {
        state.withLock { $0.endedConversations.append(id) }
    }

    /// The words of a prompt and two tokens for each message.
    private static func words(_ prompt: PreparedPrompt) -> Int {
        func count(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }
        let messages = prompt.messages.reduce(0) { $0 + 2 + count($1.rawOutput ?? $1.text) }
        return prompt.functions.reduce(messages) { $0 + 1 + count($1.description) }
    }
}
