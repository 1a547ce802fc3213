// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
package import ParleyJSON

/// A request of Anthropic's `POST /v1/messages`, in the words of a chat request.
package struct AnthropicRequest: Hashable, Sendable {
    /// What is asked for.
    package var chat: ChatCompletionRequest

    /// Reads a request from the bytes of its body.
    ///
    /// - Parameters:
    ///   - body: the bytes.
    ///   - limits: the limits for what is read.
    ///   - needsLength: whether the request has to say how long the reply may be, as all but counts of tokens do.
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    package init(
        reading body: some Sequence<UInt8>, limits: WireLimits = .standard, needsLength: Bool = true
    ) throws(OpenAIError) {
        try self.init(try limits.parse(body), limits: limits, needsLength: needsLength)
    }

    /// Reads a request from JSON.
    ///
    /// - Parameters:
    ///   - json: the request.
    ///   - limits: the limits for what is read.
    ///   - needsLength: whether the request has to say how long the reply may be, as all but counts of tokens do.
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    package init(
        _ json: JSONValue, limits: WireLimits = .standard, needsLength: Bool = true
    ) throws(OpenAIError) {
        let fields = Field(json)
        try fields.requireObject()
        try Self.refuse(fields)
        var functions = try Self.functions(fields["tools"], limits)
        var options = try ChatCompletionRequest.options(fields, limits: limits)
        options.maxTokens = try fields["max_tokens"].integer(in: 1...(1 << 40))
        if options.maxTokens == nil, needsLength { throw fields["max_tokens"].missing }
        let stops = fields["stop_sequences"]
        guard stops.value.string == nil else { throw stops.failure(.invalidType, "must be a list of strings") }
        options.stop = try ChatCompletionRequest.stop(stops, limits)
        options.functionCalling = try Self.choice(fields["tool_choice"], among: &functions)
        try Self.think(fields, &options)
        let messages = try Self.messages(fields, limits)
        chat = ChatCompletionRequest(
            model: try fields["model"].requiredString(), messages: messages, functions: functions, options: options,
            responseFormat: try Self.format(fields, limits), stream: try fields["stream"].bool() ?? false,
            parallelCalls: try fields["tool_choice"]["disable_parallel_tool_use"].bool().map { !$0 },
            // A last message of the assistant is the beginning of the reply.
            continuesLastMessage: messages.last?.role == .assistant)
        chat.ignored = json.object?.keys.filter { !Self.known.contains($0) } ?? []
    }

    /// The names of members that are read, and of those that cannot affect the reply.
    private static let known: Set<String> = [
        "model", "max_tokens", "messages", "system", "tools", "tool_choice", "stop_sequences", "stream", "temperature",
        "top_k", "top_p", "min_p", "repetition_penalty", "seed", "thinking", "output_config", "output_format",
        "metadata", "service_tier", "cache_control", "inference_geo", "speed", "betas", "container", "mcp_servers",
    ]

    /// Throws an error for members that would affect the reply but are not supported.
    private static func refuse(_ fields: Field) throws(OpenAIError) {
        guard fields["container"].isMissing else {
            throw fields["container"].failure(.unsupportedParameter, "is not supported; leave it out")
        }
        if let servers = try fields["mcp_servers"].elements(), !servers.isEmpty {
            throw fields["mcp_servers"].failure(.unsupportedParameter, "is not supported; leave it out")
        }
    }

    private static func messages(_ fields: Field, _ limits: WireLimits) throws(OpenAIError) -> [ChatMessage] {
        let list = try fields["messages"].requiredElements(upTo: limits.messages)
        guard !list.isEmpty else { throw fields["messages"].failure(.invalidValue, "must have a message") }
        var reader = AnthropicMessageReader(limits)
        if !fields["system"].isMissing { try reader.readSystem(fields["system"]) }
        for message in list { try reader.read(message) }
        return reader.messages
    }

    private static func functions(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> [Function] {
        var functions: [Function] = []
        for tool in try field.elements(upTo: limits.tools) ?? [] {
            if let type = try tool["type"].string(), type != "custom" {
                throw tool["type"].failure(.unsupportedValue, "must be custom; the server has no tools of its own")
            }
            try ToolForm.add(tool, schema: "input_schema", to: &functions, limits: limits)
        }
        return functions
    }

    private static func choice(
        _ field: Field, among functions: inout [Function]
    ) throws(OpenAIError) -> FunctionCallingMode {
        if field.isMissing { return .automatic }
        switch try field["type"].requiredString() {
        case "auto": return .automatic
        case "none": return .none
        case "any":
            guard !functions.isEmpty else { throw field.failure(.invalidValue, "is any without tools") }
            return .required
        case "tool": return .named(try ToolForm.name(field["name"], among: functions))
        default: throw field["type"].failure(.unsupportedValue, "must be auto, any, tool or none")
        }
    }

    /// Reads whether and how long the model should think; in this form it does not unless it is asked to.
    private static func think(_ fields: Field, _ options: inout GenerationOptions) throws(OpenAIError) {
        options.reasoning = .off
        let thinking = fields["thinking"]
        guard !thinking.isMissing else { return }
        switch try thinking["type"].requiredString() {
        case "disabled": return
        case "enabled":
            options.reasoning = .on
            options.maxReasoningTokens = try thinking["budget_tokens"].integer(in: 1...(1 << 40))
            if options.maxReasoningTokens == nil { throw thinking["budget_tokens"].missing }
        case "adaptive":
            options.reasoning = .automatic
            options.maxReasoningTokens =
                try ChatCompletionRequest.effort(fields["output_config"]["effort"])?.maxTokens
        default: throw thinking["type"].failure(.unsupportedValue, "must be enabled, adaptive or disabled")
        }
    }

    private static func format(_ fields: Field, _ limits: WireLimits) throws(OpenAIError) -> ResponseFormat {
        let given = fields["output_config"]["format"]
        let format = given.isMissing ? fields["output_format"] : given
        if format.isMissing { return .text }
        guard try format["type"].requiredString() == "json_schema" else {
            throw format["type"].failure(.unsupportedValue, "must be json_schema")
        }
        guard let schema = try ToolForm.schema(format["schema"], limits: limits) else { throw format["schema"].missing }
        return .jsonSchema(schema)
    }
}
