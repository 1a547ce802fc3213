// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A request of OpenAI's `POST /v1/chat/completions`, as values of conversations.
///
/// ```swift
/// func answer(_ body: [UInt8], with runner: any ModelRunner, to writer: ResponseWriter) async throws {
///     let request = try ChatCompletionRequest(reading: body)
///     for name in request.ignored { log("\(name) is not known") }
///     try request.requireSupport(for: .choices)
///     _ = try await runner.generate(GenerationRequest(request), to: writer)
/// }
/// ```
///
/// A client makes one of a ``GenerationRequest`` and sends its ``json()``.
public struct ChatCompletionRequest: Hashable, Sendable {
    /// The model that is to reply.
    public var model: String
    /// The conversation.
    public var messages: [ChatMessage]
    /// The functions that the model may call.
    public var functions: [Function]
    /// Sampling, the budget of tokens, stop strings, and whether functions are to be called. Its schema is that of
    /// ``responseFormat``.
    public var options: GenerationOptions
    /// What form the reply has to have.
    public var responseFormat: ResponseFormat
    /// How much the model is to reason; nil where the request does not say.
    public var reasoningEffort: ReasoningEffort?
    /// Whether the reply is wanted in pieces.
    public var stream: Bool
    /// Whether a stream ends with a chunk that tells what the reply cost.
    public var includesUsage: Bool
    /// How many replies are wanted, from 1 to ``WireLimits/choices``.
    public var choices: Int
    /// Whether several functions may be called in one reply; nil where the request does not say.
    public var parallelCalls: Bool?
    /// How many of the likeliest tokens are wanted at each position with their probabilities, from 0 to 20; nil where
    /// no probabilities are wanted.
    public var logprobs: Int?
    /// Lowers the logits of tokens by how often they came, from -2 to 2; 0 changes nothing.
    public var frequencyPenalty: Double
    /// Lowers the logits of tokens that came, from -2 to 2; 0 changes nothing.
    public var presencePenalty: Double
    /// What is added to the logits of tokens, by their ids, each from -100 to 100.
    public var logitBias: [Int: Double]
    /// Whether the reply goes on with the last message, which is the assistant's.
    public var continuesLastMessage: Bool
    /// Names the conversation for the cache; nil where the request does not.
    public var cacheKey: String?
    /// The names of members that are not known, in order; they change nothing.
    public var ignored: [String] = []

    /// Creates a request.
    public init(
        model: String, messages: [ChatMessage], functions: [Function] = [],
        options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil,
        reasoningEffort: ReasoningEffort? = nil, stream: Bool = false, includesUsage: Bool = false, choices: Int = 1,
        parallelCalls: Bool? = nil, logprobs: Int? = nil, frequencyPenalty: Double = 0, presencePenalty: Double = 0,
        logitBias: [Int: Double] = [:], continuesLastMessage: Bool = false, cacheKey: String? = nil
    ) {
        self.model = model
        self.messages = messages
        self.functions = functions
        self.options = options
        self.responseFormat =
            responseFormat ?? options.jsonSchemaConstraint.map { ResponseFormat.jsonSchema($0) } ?? .text
        self.options.jsonSchemaConstraint = self.responseFormat.schema
        self.reasoningEffort = reasoningEffort
        self.stream = stream
        self.includesUsage = includesUsage
        self.choices = choices
        self.parallelCalls = parallelCalls
        self.logprobs = logprobs
        self.frequencyPenalty = frequencyPenalty
        self.presencePenalty = presencePenalty
        self.logitBias = logitBias
        self.continuesLastMessage = continuesLastMessage
        self.cacheKey = cacheKey
    }

    /// Creates the request that asks a server for what a runner is asked for.
    public init(_ request: GenerationRequest, model: String, stream: Bool = true) {
        self.init(
            model: model, messages: request.messages, functions: request.functions, options: request.options,
            stream: stream, includesUsage: stream)
    }

    /// What not every engine can do.
    public struct Features: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Several replies to one request (`n`).
        public static let choices = Features(rawValue: 1)
        /// Probabilities of tokens (`logprobs`).
        public static let logprobs = Features(rawValue: 2)
        /// `frequency_penalty` and `presence_penalty`.
        public static let penalties = Features(rawValue: 4)
        /// `logit_bias`.
        public static let logitBias = Features(rawValue: 8)
        /// `continue_final_message`.
        public static let continuing = Features(rawValue: 16)
    }

    /// Checks that nothing is asked for which cannot be done.
    ///
    /// - Parameter features: what can be done.
    /// - Throws: ``OpenAIError`` with code `unsupported_parameter` that names the parameter.
    public func requireSupport(for features: Features) throws(OpenAIError) {
        let asked: [(isAsked: Bool, feature: Features, name: String)] = [
            (choices > 1, .choices, "n"), (logprobs != nil, .logprobs, "logprobs"),
            (frequencyPenalty != 0, .penalties, "frequency_penalty"),
            (presencePenalty != 0, .penalties, "presence_penalty"), (!logitBias.isEmpty, .logitBias, "logit_bias"),
            (continuesLastMessage, .continuing, "continue_final_message"),
        ]
        for one in asked where one.isAsked && !features.contains(one.feature) {
            throw OpenAIError(
                .unsupportedParameter, "\(one.name) is not supported here; leave it out.", param: one.name)
        }
    }
}

extension GenerationRequest {
    /// What a runner is asked for by a request; without a conversation of its own.
    public init(_ request: ChatCompletionRequest) {
        self.init(messages: request.messages, functions: request.functions, options: request.options)
    }
}
