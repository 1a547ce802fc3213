// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyDialect
import Synchronization

/// A runner without a model that gives scripted replies, for tests and previews of apps.
///
/// ```swift
/// let runner = ScriptedRunner(replies: ["Paris.", "You are welcome."])
/// let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
/// ```
///
/// It follows all rules of a real runner: it finds reasoning and function calls in its text, replies end at token
/// limits and when the context is full, and cancelling stops a reply at the next token. It can be used from any thread.
public final class ScriptedRunner: TextCompleting {
    /// The model that the runner simulates.
    public struct Configuration: Sendable {
        /// The model's name.
        public var modelID = "scripted"
        /// The size of the context in tokens.
        public var contextTokens = 4_096
        /// How functions are described to the model, and how the model calls them.
        public var functionCalls = FunctionCallSupport(format: .hermes, takesFunctions: true)
        /// The tags around reasoning; nil for a model that does not reason.
        public var reasoning: ReasoningTags? = .think
        /// Whether replies begin with reasoning, without an opening tag.
        public var startsInsideReasoning = false
        /// Computes the size of a prompt in tokens: by default one for each word, including those of functions, and two
        /// for each message.
        public var promptTokens: @Sendable (PreparedPrompt) -> Int = ScriptedRunner.words
        /// What the runner can do beyond replying. Its probabilities are made up.
        public var abilities: RunnerAbilities = []
        /// The clock for `sleep` steps and timeouts.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates a configuration with default values.
        public init() {}
    }

    private struct State {
        var requests: [GenerationRequest] = []
        var endedConversations: [ConversationID] = []
    }

    private let configuration: Configuration
    private let reply: @Sendable (GenerationRequest, Int) -> ScriptedReply
    private let gate = RunnerGate()
    /// No other lock may be taken while this one is held.
    private let state = Mutex(State())

    /// Creates a runner with a closure that chooses the replies.
    ///
    /// - Parameters:
    ///   - configuration: the model that the runner simulates.
    ///   - reply: returns the reply to a request; the number counts the runner's requests from 0.
    public init(
        _ configuration: Configuration = Configuration(),
        reply: @escaping @Sendable (_ request: GenerationRequest, _ number: Int) -> ScriptedReply
    ) {
        self.configuration = configuration
        self.reply = reply
    }

    /// Creates a runner that gives these replies in order, and repeats the last one.
    public convenience init(_ configuration: Configuration = Configuration(), replies: [ScriptedReply]) {
        self.init(configuration) { _, number in
            replies.isEmpty ? "" : replies[min(number, replies.count - 1)]
        }
    }

    /// The model's name.
    public var modelID: String { configuration.modelID }

    /// What the configuration says.
    public var abilities: RunnerAbilities { configuration.abilities }

    /// All requests so far, in order.
    public var requests: [GenerationRequest] { state.withLock { $0.requests } }

    /// The ids of the conversations that have ended, in order.
    public var endedConversations: [ConversationID] { state.withLock { $0.endedConversations } }

    /// Gives the scripted reply to a request.
    ///
    /// - Throws: `ConversationError`; errors of the script.
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

    /// Gives the scripted reply to a request whose only message is the text, without looking for tags in it. A token of a
    /// prompt that is given as tokens is a word, its number.
    ///
    /// - Throws: `ConversationError`; errors of the script.
    public func complete(_ request: CompletionRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let prompt =
            switch request.prompt {
            case .text(let text): text
            case .tokens(let tokens): tokens.map(String.init).joined(separator: " ")
            }
        var raw = configuration
        (raw.reasoning, raw.startsInsideReasoning) = (nil, false)
        var options = request.options
        options.functionCallParser = .rawText
        let message = GenerationRequest(
            messages: [.user(prompt)], options: options, conversationID: request.conversationID)
        let number = state.withLock { state in
            state.requests.append(message)
            return state.requests.count - 1
        }
        let configuration = raw
        return try await gate.run(writer) {
            var performance = ScriptedPerformance(
                request: message, reply: reply(message, number), configuration: configuration, writer: writer,
                scored: request.scoresPrompt ? prompt : nil)
            return try await performance.run()
        }
    }

    /// Computes the size of a prompt in tokens, as the configuration defines it.
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

    /// Ends the replies that are being generated, and refuses all later requests.
    public func unload() async {
        await gate.close()
    }

    /// Records the end of a conversation.
    public func conversationEnded(_ id: ConversationID) {
        state.withLock { $0.endedConversations.append(id) }
    }

    /// Counts a token for each word of the prompt, two for each message and one for each function.
    private static func words(_ prompt: PreparedPrompt) -> Int {
        func count(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }
        let messages = prompt.messages.reduce(0) { $0 + 2 + count($1.rawOutput ?? $1.text) }
        return prompt.functions.reduce(messages) { $0 + 1 + count($1.description) }
    }
}
