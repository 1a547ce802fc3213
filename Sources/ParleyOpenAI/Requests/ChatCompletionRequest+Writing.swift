// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
public import ParleyJSON

extension ChatCompletionRequest {
    /// Converts the request to the JSON of its body, without members that are unset.
    ///
    /// - Throws: ``OpenAIError`` if an image is neither JPEG nor PNG.
    public func json() throws(OpenAIError) -> JSONValue {
        var list: [JSONValue] = []
        for message in messages { list.append(try MessageForm.json(message, content: .textWherePossible)) }
        var members: JSONObject = ["model": .string(model), "messages": .array(list)]
        if !functions.isEmpty { members["tools"] = .array(functions.map(\.json)) }
        members["tool_choice"] = ToolForm.json(options.functionCalling)
        members["parallel_tool_calls"] = parallelCalls.map(JSONValue.bool)
        members["response_format"] = responseFormat.json
        members["temperature"] = Self.json(options.temperature)
        members["top_k"] = options.topK.map(JSONValue.integer)
        members["top_p"] = Self.json(options.topP)
        members["min_p"] = Self.json(options.minP)
        members["repetition_penalty"] = Self.json(options.repetitionPenalty)
        members["seed"] = options.seed.map { JSONValue($0) }
        members[usesOlderTokenLimit ? "max_tokens" : "max_completion_tokens"] = options.maxTokens.map(JSONValue.integer)
        let stops = options.stop.filter { !$0.isEmpty }
        if !stops.isEmpty { members["stop"] = .array(stops.map(JSONValue.string)) }
        if let reasoningEffort {
            members["reasoning_effort"] = .string(reasoningEffort.rawValue)
        } else if options.reasoning != .automatic {
            members["chat_template_kwargs"] = ["enable_thinking": .bool(options.reasoning == .on)]
        }
        if stream { members["stream"] = true }
        if includesUsage { members["stream_options"] = ["include_usage": true] }
        if choices != 1 { members["n"] = .integer(choices) }
        if let logprobs {
            members["logprobs"] = true
            members["top_logprobs"] = .integer(logprobs)
        }
        if frequencyPenalty != 0 { members["frequency_penalty"] = .number(frequencyPenalty) }
        if presencePenalty != 0 { members["presence_penalty"] = .number(presencePenalty) }
        if !logitBias.isEmpty {
            let biases = logitBias.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONValue.number($0.value)) }
            members["logit_bias"] = .object(JSONObject(uniqueKeysWithValues: biases))
        }
        if continuesLastMessage { members["continue_final_message"] = true }
        if dropsOldestTurns { members["truncation"] = "auto" }
        if !options.injectSchemaIntoPrompt, responseFormat.schema != nil { members["show_schema"] = false }
        members["prompt_cache_key"] = cacheKey.map(JSONValue.string)
        return .object(members)
    }

    /// Converts a number to the shortest decimal that is read back as the same value: 0.7, not 0.699999988079071.
    private static func json(_ value: Float?) -> JSONValue? {
        value.flatMap { JSONValue(number: "\($0)") }
    }
}
