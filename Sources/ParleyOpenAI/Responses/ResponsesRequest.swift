// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
package import ParleyJSON

/// A request of OpenAI's `POST /v1/responses`, for servers that keep no responses.
package struct ResponsesRequest: Hashable, Sendable {
    /// What is asked for, in the words of a chat request.
    package var chat: ChatCompletionRequest
    /// The members that every answer repeats, with what holds where the request does not state them.
    package var repeated: JSONObject

    /// Reads a request from the bytes of its body.
    ///
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    package init(reading body: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(body), limits: limits)
    }

    /// Reads a request from JSON.
    ///
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    package init(_ json: JSONValue, limits: WireLimits = .standard) throws(OpenAIError) {
        let fields = Field(json)
        try fields.requireObject()
        try Self.refuse(fields)
        let format = try ResponseFormat(flat: fields["text"]["format"], limits: limits)
        let (offered, otherTools) = try ToolForm.flatFunctions(fields["tools"], limits: limits)
        var functions = offered
        var options = try ChatCompletionRequest.options(fields, limits: limits)
        options.maxTokens = try fields["max_output_tokens"].integer(in: 1...(1 << 40))
        options.functionCalling = try ToolForm.choice(
            fields["tool_choice"], isFlat: true, among: &functions, limits: limits)
        let effort = try ChatCompletionRequest.effort(fields["reasoning"]["effort"])
        if let effort { (options.reasoning, options.maxReasoningTokens) = (effort.mode, effort.maxTokens) }
        var messages = try Self.messages(fields["input"], limits)
        if let instructions = try fields["instructions"].string() {
            messages.insert(ChatMessage(role: .system, content: [.text(instructions)]), at: 0)
        }
        let top = try fields["top_logprobs"].integer(in: 0...20)
        chat = ChatCompletionRequest(
            model: try fields["model"].requiredString(), messages: messages, functions: functions, options: options,
            responseFormat: format, reasoningEffort: effort, stream: try fields["stream"].bool() ?? false,
            parallelCalls: try fields["parallel_tool_calls"].bool(),
            logprobs: try Self.wantsProbabilities(fields["include"]) ? top ?? 0 : nil,
            cacheKey: try fields["prompt_cache_key"].string())
        chat.dropsOldestTurns = try ChatCompletionRequest.truncation(fields["truncation"])
        chat.ignored = json.object?.keys.filter { !Self.known.contains($0) } ?? []
        chat.ignored += otherTools.map { "tools.\($0)" }
        repeated = Self.repeated(json, chat, offered)
    }

    /// The names of members that are read, and of those that cannot affect the reply.
    private static let known: Set<String> = [
        "model", "input", "instructions", "text", "tools", "tool_choice", "parallel_tool_calls", "reasoning",
        "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "repeat_penalty", "seed", "stop",
        "max_output_tokens", "stream", "stream_options", "truncation", "include", "top_logprobs", "prompt_cache_key",
        "previous_response_id", "background", "conversation", "prompt", "context_management", "max_tool_calls", "user",
        "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_retention", "prompt_cache_options",
        "moderation",
    ]

    /// Throws an error for members that would need a server that keeps responses, and for others that are not supported.
    private static func refuse(_ fields: Field) throws(OpenAIError) {
        for name in ["previous_response_id", "conversation"] where !fields[name].isMissing {
            throw fields[name].failure(
                .unsupportedParameter, "needs responses that are kept, and none are; send the whole input")
        }
        for name in ["prompt", "context_management"] where !fields[name].isMissing {
            throw fields[name].failure(.unsupportedParameter, "is not supported; leave it out")
        }
        if try fields["background"].bool() == true {
            throw fields["background"].failure(.unsupportedParameter, "is not supported; leave it out, or set stream")
        }
        if let verbosity = try fields["text"]["verbosity"].string(), verbosity != "medium" {
            throw fields["text"]["verbosity"].failure(.unsupportedValue, "must be medium")
        }
    }

    private static func messages(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> [ChatMessage] {
        if let text = field.value.string { return [ChatMessage(role: .user, content: [.text(text)])] }
        if !field.isMissing, field.value.array == nil {
            throw field.failure(.invalidType, "must be a string or a list of items")
        }
        var reader = ResponseItemReader(limits)
        for item in try field.requiredElements(upTo: limits.messages) { try reader.read(item) }
        let messages = reader.finish()
        guard !messages.isEmpty else { throw field.failure(.invalidValue, "must have a message") }
        return messages
    }

    /// Reads what answers should contain besides: probabilities are the only thing that is not there always or never.
    private static func wantsProbabilities(_ field: Field) throws(OpenAIError) -> Bool {
        let others: Set<String> = [
            "reasoning.encrypted_content", "file_search_call.results", "web_search_call.results",
            "web_search_call.action.sources", "message.input_image.image_url", "computer_call_output.output.image_url",
            "code_interpreter_call.outputs",
        ]
        var wants = false
        for element in try field.elements(upTo: 16) ?? [] {
            let name = try element.requiredString()
            if name == "message.output_text.logprobs" {
                wants = true
            } else if !others.contains(name) {
                throw element.failure(.unsupportedValue, "names nothing that a response could include")
            }
        }
        return wants
    }

    private static func repeated(
        _ json: JSONValue, _ chat: ChatCompletionRequest, _ functions: [Function]
    ) -> JSONObject {
        func given(_ name: String) -> JSONValue { json[name] ?? .null }
        return [
            "model": .string(chat.model), "instructions": given("instructions"),
            "max_output_tokens": chat.options.maxTokens.map(JSONValue.integer) ?? .null, "max_tool_calls": .null,
            "parallel_tool_calls": .bool(chat.parallelCalls ?? true), "previous_response_id": .null,
            "prompt_cache_key": given("prompt_cache_key"),
            "reasoning": [
                "effort": (chat.reasoningEffort?.rawValue).map(JSONValue.string) ?? .null, "summary": .null,
            ],
            "store": false, "temperature": given("temperature"),
            "text": ["format": chat.responseFormat.flatJSON],
            "tool_choice": ToolForm.flatJSON(chat.options.functionCalling),
            "tools": .array(functions.map(ToolForm.flatJSON)), "top_logprobs": .integer(chat.logprobs ?? 0),
            "top_p": given("top_p"), "truncation": chat.dropsOldestTurns ? "auto" : "disabled",
            "metadata": .object(json["metadata"]?.object?.filter { $0.value.string != nil } ?? [:]),
        ]
    }
}
