// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A request of OpenAI's `POST /v1/chat/completions`, represented by the types of a conversation.
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
/// A client creates a request from a ``GenerationRequest`` and sends its ``json()``.
public struct ChatCompletionRequest: Hashable, Sendable {
    /// The name of the model that should reply.
    public var model: String
    /// The messages of the conversation.
    public var messages: [ChatMessage]
    /// The functions that the model may call.
    public var functions: [Function]
    /// The sampling options, token limits, stop strings and function calling mode; their schema is that of
    /// ``responseFormat``.
    public var options: GenerationOptions
    /// The form that the reply must have.
    public var responseFormat: ResponseFormat
    /// How much the model should reason; nil if the request does not state it.
    public var reasoningEffort: ReasoningEffort?
    /// Whether the reply should be streamed.
    public var stream: Bool
    /// Whether a stream ends with a chunk that states the number of tokens used.
    public var includesUsage: Bool
    /// The number of replies, from 1 to ``WireLimits/choices``.
    public var choices: Int
    /// Whether a reply may contain several function calls; nil if the request does not state it.
    public var parallelCalls: Bool?
    /// The number of most likely tokens to report with their probabilities at each position, from 0 to 20; nil for no
    /// probabilities.
    public var logprobs: Int?
    /// Lowers the logit of each token in proportion to how often it has occurred, from -2 to 2; 0 changes nothing.
    public var frequencyPenalty: Double
    /// Lowers the logit of each token that has occurred, from -2 to 2; 0 changes nothing.
    public var presencePenalty: Double
    /// Values from -100 to 100 that are added to the logits of the tokens with the given ids.
    public var logitBias: [Int: Double]
    /// Whether the reply continues the last message, which must be one of the assistant.
    public var continuesLastMessage: Bool
    /// A name of the conversation for caching the prompt; nil if the request does not state one.
    public var cacheKey: String?
    /// Whether whole turns may be left out, the oldest first, if the prompt does not fit (`truncation`: `auto`).
    public var dropsOldestTurns = false
    /// Whether the limit of tokens is written under its older name, `max_tokens`, which more servers know than
    /// `max_completion_tokens`; both are read.
    public var usesOlderTokenLimit = false
    /// The names of unknown members, in order, which are ignored.
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

    /// Creates a request that asks a server for the same reply as the given request asks a runner.
    public init(_ request: GenerationRequest, model: String, stream: Bool = true) {
        self.init(
            model: model, messages: request.messages, functions: request.functions, options: request.options,
            stream: stream, includesUsage: stream, logprobs: request.options.likelyTokens,
            frequencyPenalty: Double(request.options.frequencyPenalty ?? 0),
            presencePenalty: Double(request.options.presencePenalty ?? 0),
            logitBias: Dictionary(
                (request.options.logitBias ?? [:]).map { (Int($0.key), Double($0.value)) }
            ) { $1 },
            continuesLastMessage: request.options.continuesLastMessage)
    }

    /// A set of features that some engines do not support.
    public struct Features: OptionSet, Hashable, Sendable {
        /// The set as an integer, with one bit for each feature.
        public let rawValue: Int

        /// Creates a set from an integer.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Several replies to one request (`n`).
        public static let choices = Features(rawValue: 1)
        /// Probabilities of tokens (`logprobs`).
        public static let logprobs = Features(rawValue: 2)
        /// Penalties for repeated tokens (`frequency_penalty` and `presence_penalty`).
        public static let penalties = Features(rawValue: 4)
        /// Values added to the logits of tokens (`logit_bias`).
        public static let logitBias = Features(rawValue: 8)
        /// Continuing the last message (`continue_final_message`).
        public static let continuing = Features(rawValue: 16)

        /// What a runner can do, and several replies, which every runner can be asked for.
        public init(_ abilities: RunnerAbilities) {
            self = .choices
            if abilities.contains(.probabilities) { insert(.logprobs) }
            if abilities.contains(.penalties) { insert(.penalties) }
            if abilities.contains(.logitBias) { insert(.logitBias) }
            if abilities.contains(.continuing) { insert(.continuing) }
        }
    }

    /// Checks that the request uses no feature that is not supported.
    ///
    /// - Parameter features: the supported features.
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
    /// Creates the request to a runner, which belongs to no `Conversation`.
    public init(_ request: ChatCompletionRequest) {
        var options = request.options
        options.likelyTokens = request.logprobs
        options.continuesLastMessage = request.continuesLastMessage
        if request.frequencyPenalty != 0 { options.frequencyPenalty = Float(request.frequencyPenalty) }
        if request.presencePenalty != 0 { options.presencePenalty = Float(request.presencePenalty) }
        if !request.logitBias.isEmpty {
            let biases = request.logitBias.map { (Int32(clamping: $0.key), Float($0.value)) }
            options.logitBias = Dictionary(biases) { $1 }
        }
        self.init(
            messages: request.messages, functions: request.functions, options: options,
            contextPolicy: request.dropsOldestTurns ? .dropOldestTurns : .error)
    }
}
