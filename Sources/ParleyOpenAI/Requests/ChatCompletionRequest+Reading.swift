// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
public import ParleyJSON

extension ChatCompletionRequest {
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
        try Self.refuse(fields)
        let format = try ResponseFormat(fields["response_format"], limits: limits)
        var functions = try ToolForm.functions(fields["tools"], limits: limits)
        var options = try Self.options(fields, limits: limits)
        options.functionCalling = try ToolForm.choice(fields["tool_choice"], among: &functions, limits: limits)
        let effort = try Self.effort(fields["reasoning_effort"])
        if let effort { (options.reasoning, options.maxReasoningTokens) = (effort.mode, effort.maxTokens) }
        if let thinks = try fields["chat_template_kwargs"]["enable_thinking"].bool() {
            options.reasoning = thinks ? .on : .off
        }
        options.injectSchemaIntoPrompt = try fields["show_schema"].bool() ?? true
        self.init(
            model: try fields["model"].requiredString(), messages: try Self.messages(fields["messages"], limits),
            functions: functions, options: options, responseFormat: format, reasoningEffort: effort,
            stream: try fields["stream"].bool() ?? false,
            includesUsage: try fields["stream_options"]["include_usage"].bool() ?? false,
            choices: try fields["n"].integer(in: 1...limits.choices) ?? 1,
            parallelCalls: try fields["parallel_tool_calls"].bool(), logprobs: try Self.logprobs(fields),
            frequencyPenalty: try Self.penalty(fields["frequency_penalty"]),
            presencePenalty: try Self.penalty(fields["presence_penalty"]),
            logitBias: try Self.logitBias(fields["logit_bias"]),
            continuesLastMessage: try fields["continue_final_message"].bool() ?? false,
            cacheKey: try fields["prompt_cache_key"].string())
        dropsOldestTurns = try Self.truncation(fields["truncation"])
        ignored = json.object?.keys.filter { !Self.known.contains($0) } ?? []
        // A template may know more of them, but none is handed on.
        let others = json["chat_template_kwargs"]?.object?.keys.filter { $0 != "enable_thinking" } ?? []
        ignored += others.map { "chat_template_kwargs.\($0)" }
        if continuesLastMessage, try fields["add_generation_prompt"].bool() == true {
            throw fields["add_generation_prompt"].failure(.invalidValue, "contradicts continue_final_message")
        }
        if continuesLastMessage, messages.last?.role != .assistant {
            throw fields["continue_final_message"].failure(.invalidValue, "needs a last message of the assistant")
        }
    }

    /// The names of members that are read, and of those that cannot affect the reply.
    private static let known: Set<String> = [
        "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "temperature", "top_p",
        "top_k", "min_p", "repetition_penalty", "repeat_penalty", "frequency_penalty", "presence_penalty", "logit_bias",
        "seed", "stop", "max_tokens", "max_completion_tokens", "n", "stream", "stream_options", "logprobs",
        "top_logprobs", "reasoning_effort", "chat_template_kwargs", "add_generation_prompt", "continue_final_message",
        "prompt_cache_key",
        "truncation", "show_schema", "modalities", "verbosity", "user", "metadata", "store", "service_tier",
        "safety_identifier",
        "prompt_cache_retention", "prompt_cache_options", "moderation",
    ]

    /// Throws an error for members that would affect the reply but are not supported.
    private static func refuse(_ fields: Field) throws(OpenAIError) {
        for name in ["audio", "prediction", "web_search_options"] where !fields[name].isMissing {
            throw fields[name].failure(.unsupportedParameter, "is not supported; leave it out")
        }
        for (name, instead) in [("functions", "tools"), ("function_call", "tool_choice")]
        where !fields[name].isMissing {
            throw fields[name].failure(.unsupportedParameter, "is the older form; use \(instead)")
        }
        for kind in try fields["modalities"].elements(upTo: 16) ?? [] {
            if try kind.requiredString() != "text" { throw kind.failure(.unsupportedValue, "must be text") }
        }
        if let verbosity = try fields["verbosity"].string(), verbosity != "medium" {
            throw fields["verbosity"].failure(.unsupportedValue, "must be medium")
        }
    }

    private static func messages(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> [ChatMessage] {
        let fields = try field.requiredElements(upTo: limits.messages)
        guard !fields.isEmpty else { throw field.failure(.invalidValue, "must have a message") }
        var messages: [ChatMessage] = []
        var (images, callBytes) = (0, 0)
        for field in fields {
            for call in field["tool_calls"].value.array ?? [] {
                callBytes += call["function"]?["arguments"]?.string?.utf8.count ?? 0
            }
            guard callBytes <= limits.callBytes else {
                throw field["tool_calls"].failure(
                    .invalidValue, "brings more than \(limits.callBytes >> 20) MiB of arguments")
            }
            try refuse(inMessage: field)
            let message = try MessageForm.message(field, limits: limits)
            if message.role != .assistant, field["content"].isMissing { throw field["content"].missing }
            if message.role == .tool, message.functionCallID == nil { throw field["tool_call_id"].missing }
            images += message.content.count { if case .image = $0 { true } else { false } }
            guard images <= limits.images else {
                throw field["content"].failure(.invalidValue, "brings more than \(limits.images) images")
            }
            messages.append(message)
        }
        return messages
    }

    /// Throws an error for members of a message without which the model would read another conversation.
    private static func refuse(inMessage field: Field) throws(OpenAIError) {
        if !field["audio"].isMissing {
            throw field["audio"].failure(.unsupportedParameter, "names sound that is not kept here; send its text")
        }
        if !field["function_call"].isMissing {
            throw field["function_call"].failure(.unsupportedParameter, "is the older form; use tool_calls")
        }
    }

    static func options(_ fields: Field, limits: WireLimits) throws(OpenAIError) -> GenerationOptions {
        var options = GenerationOptions()
        options.sampling = SamplingOptions(
            temperature: try fields["temperature"].number().map(Float.init),
            // As other local servers have it, -1 keeps all tokens too.
            topK: try fields["top_k"].integer().map { $0 == -1 ? 0 : $0 },
            topP: try fields["top_p"].number().map(Float.init), minP: try fields["min_p"].number().map(Float.init),
            repetitionPenalty: try penaltyFactor(fields), seed: try seed(fields["seed"]))
        if let wrong = options.sampling.outOfRange {
            throw fields[names[wrong.option] ?? wrong.option].failure(.invalidValue, "must be \(wrong.range)")
        }
        let (older, newer) = (try length(fields["max_tokens"]), try length(fields["max_completion_tokens"]))
        options.maxTokens = fields["max_completion_tokens"].isMissing ? older : newer
        options.stop = try stop(fields["stop"], limits)
        return options
    }

    /// Reads how many tokens a reply may have; -1 is no limit, as other local servers have it.
    private static func length(_ field: Field) throws(OpenAIError) -> Int? {
        let length = try field.integer(in: -1...(1 << 40))
        return length == -1 ? nil : length
    }

    /// The JSON names of the sampling options whose Swift names differ.
    private static let names = [
        "topK": "top_k", "topP": "top_p", "minP": "min_p", "repetitionPenalty": "repetition_penalty",
    ]

    private static func penaltyFactor(_ fields: Field) throws(OpenAIError) -> Float? {
        let shorter = try fields["repeat_penalty"].number()
        return (try fields["repetition_penalty"].number() ?? shorter).map(Float.init)
    }

    /// Reads a seed of 64 bits; a negative number is taken as the unsigned number with the same bits.
    static func seed(_ field: Field) throws(OpenAIError) -> UInt64? {
        switch field.value {
        case .null: return nil
        case .integer(let seed): return UInt64(bitPattern: Int64(seed))
        case .decimal(let decimal):
            if let seed = UInt64(decimal.text) { return seed }
        default: break
        }
        throw field.failure(.invalidType, "must be an integer of 64 bits")
    }

    static func stop(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> [String] {
        if let text = field.value.string {
            guard !text.isEmpty else { throw field.failure(.invalidValue, "must not be empty") }
            return [text]
        }
        if !field.isMissing, field.value.array == nil {
            throw field.failure(.invalidType, "must be a string or a list of strings")
        }
        var texts: [String] = []
        for element in try field.elements(upTo: limits.stops) ?? [] {
            let text = try element.requiredString()
            guard !text.isEmpty else { throw element.failure(.invalidValue, "must not be empty") }
            texts.append(text)
        }
        return texts
    }

    static func effort(_ field: Field) throws(OpenAIError) -> ReasoningEffort? {
        guard let name = try field.string() else { return nil }
        guard let effort = ReasoningEffort(rawValue: name) else {
            let known = ReasoningEffort.allCases.map(\.rawValue).joined(separator: ", ")
            throw field.failure(.unsupportedValue, "must be one of \(known)")
        }
        return effort
    }

    static func truncation(_ field: Field) throws(OpenAIError) -> Bool {
        switch try field.string() {
        case nil, "disabled"?: return false
        case "auto"?: return true
        default: throw field.failure(.unsupportedValue, "must be auto or disabled")
        }
    }

    static func penalty(_ field: Field) throws(OpenAIError) -> Double {
        let value = try field.number() ?? 0
        guard (-2...2).contains(value) else { throw field.failure(.invalidValue, "must be from -2 to 2") }
        return value
    }

    private static func logprobs(_ fields: Field) throws(OpenAIError) -> Int? {
        let top = try fields["top_logprobs"].integer(in: 0...20)
        if try fields["logprobs"].bool() == true { return top ?? 0 }
        guard (top ?? 0) == 0 else { throw fields["top_logprobs"].failure(.invalidValue, "needs logprobs") }
        return nil
    }

    static func logitBias(_ field: Field) throws(OpenAIError) -> [Int: Double] {
        var biases: [Int: Double] = [:]
        for name in try field.object()?.keys ?? [] {
            guard let token = Int(name), token >= 0, token <= Int(Int32.max) else {
                throw field.failure(.invalidValue, "must have ids of tokens as names")
            }
            let bias = try field[name].number() ?? 0
            guard (-100...100).contains(bias) else {
                throw field[name].failure(.invalidValue, "must be from -100 to 100")
            }
            biases[token] = bias
        }
        return biases
    }
}
