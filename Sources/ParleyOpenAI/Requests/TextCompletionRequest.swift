// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A request of OpenAI's `POST /v1/completions`: texts that the model continues as they stand.
public struct TextCompletionRequest: Hashable, Sendable {
    /// The name of the model.
    public var model: String
    /// The texts to continue, from 1 to ``WireLimits/prompts``.
    public var prompts: [CompletionRequest.Prompt]
    /// The text that comes after what the model writes; nil if nothing is known of it.
    public var suffix: String?
    /// The sampling options, token limits and stop strings.
    public var options: GenerationOptions
    /// Whether the texts begin with their prompts.
    public var echo: Bool
    /// Whether the texts should be streamed.
    public var stream: Bool
    /// Whether a stream ends with a chunk that states the number of tokens used.
    public var includesUsage: Bool
    /// The number of continuations of each text, from 1 to ``WireLimits/choices``.
    public var choices: Int
    /// A name of the conversation for caching the prompt; nil if the request does not state one.
    public var cacheKey: String?
    /// The names of unknown members, in order, which are ignored.
    public var ignored: [String]

    /// Reads a request from the bytes of its body.
    ///
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    public init(reading body: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(body), limits: limits)
    }

    /// Reads a request from JSON.
    ///
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    public init(_ json: JSONValue, limits: WireLimits = .standard) throws(OpenAIError) {
        let fields = Field(json)
        try fields.requireObject()
        for name in ["response_format", "tools"] where !fields[name].isMissing {
            throw fields[name].failure(.unsupportedParameter, "is not supported here; use /v1/chat/completions")
        }
        model = try fields["model"].requiredString()
        prompts = try Self.prompts(fields["prompt"], limits)
        suffix = try fields["suffix"].string().flatMap { $0.isEmpty ? nil : $0 }
        echo = try fields["echo"].bool() ?? false
        stream = try fields["stream"].bool() ?? false
        includesUsage = try fields["stream_options"]["include_usage"].bool() ?? false
        choices = try fields["n"].integer(in: 1...limits.choices) ?? 1
        if let best = try fields["best_of"].integer(), best != choices {
            throw fields["best_of"].failure(.unsupportedValue, "must be the same as n")
        }
        cacheKey = try fields["prompt_cache_key"].string()
        ignored = json.object?.keys.filter { !Self.known.contains($0) } ?? []
        options = try ChatCompletionRequest.options(fields, limits: limits)
        options.likelyTokens = try fields["logprobs"].integer(in: 0...20)
        for (name, option) in [
            ("frequency_penalty", \SamplingOptions.frequencyPenalty), ("presence_penalty", \.presencePenalty),
        ] {
            let penalty = try ChatCompletionRequest.penalty(fields[name])
            if penalty != 0 { options.sampling[keyPath: option] = Float(penalty) }
        }
        let biases = try ChatCompletionRequest.logitBias(fields["logit_bias"])
        if !biases.isEmpty {
            options.logitBias = Dictionary(biases.map { (Int32(clamping: $0.key), Float($0.value)) }) { $1 }
        }
        if echo, suffix != nil { throw fields["echo"].failure(.unsupportedValue, "does not go with a suffix") }
    }

    private static let known: Set<String> = [
        "model", "prompt", "suffix", "echo", "stream", "stream_options", "n", "best_of", "logprobs", "temperature",
        "top_p", "top_k", "min_p", "repetition_penalty", "repeat_penalty", "frequency_penalty", "presence_penalty",
        "logit_bias", "seed", "stop", "max_tokens", "max_completion_tokens", "prompt_cache_key", "user", "metadata",
        "store", "service_tier", "safety_identifier",
    ]

    /// Reads a text, the ids of its tokens, or a list of either.
    private static func prompts(
        _ field: Field, _ limits: WireLimits
    ) throws(OpenAIError) -> [CompletionRequest.Prompt] {
        if field.isMissing { throw field.missing }
        if let text = field.value.string { return [.text(text)] }
        guard let list = field.value.array else {
            throw field.failure(.invalidType, "must be a string, a list of ids of tokens, or a list of either")
        }
        guard !list.isEmpty else { throw field.failure(.invalidValue, "must not be empty") }
        if list.first?.number != nil { return [.tokens(try field.tokens())] }
        var prompts: [CompletionRequest.Prompt] = []
        for element in try field.requiredElements(upTo: limits.prompts) {
            if element.value.array != nil {
                prompts.append(.tokens(try element.tokens()))
            } else {
                prompts.append(.text(try element.requiredString()))
            }
        }
        return prompts
    }

    /// Checks that the request uses no feature that a runner does not have.
    ///
    /// - Throws: ``OpenAIError`` with code `unsupported_parameter` that names the parameter.
    public func requireSupport(for abilities: RunnerAbilities) throws(OpenAIError) {
        let asked: [(isAsked: Bool, ability: RunnerAbilities, name: String)] = [
            (options.likelyTokens != nil, .probabilities, "logprobs"),
            (options.frequencyPenalty != nil, .penalties, "frequency_penalty"),
            (options.presencePenalty != nil, .penalties, "presence_penalty"),
            (options.logitBias != nil, .logitBias, "logit_bias"),
        ]
        for one in asked where one.isAsked && !abilities.contains(one.ability) {
            throw OpenAIError(
                .unsupportedParameter, "\(one.name) is not supported here; leave it out.", param: one.name)
        }
    }
}
