// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A part of a streamed response (`chat.completion.chunk`), which is the data of one server-sent event.
public struct ChatCompletionChunk: Hashable, Sendable {
    /// A part of a function call: the first part contains its id and name, later parts contain more of the arguments.
    public struct CallDelta: Hashable, Sendable {
        /// The number of the call in the reply, from 0.
        public var index: Int
        /// The call's id.
        public var id: String?
        /// The function's name.
        public var name: String?
        /// The next part of the arguments' JSON text.
        public var arguments: String

        /// Creates a part of a call.
        public init(index: Int, id: String? = nil, name: String? = nil, arguments: String = "") {
            self.index = index
            self.id = id
            self.name = name
            self.arguments = arguments
        }
    }

    /// The next part of one reply.
    public struct Delta: Hashable, Sendable {
        /// The number of the reply, from 0.
        public var index: Int
        /// The role of the reply's author, in its first part.
        public var role: ChatMessageRole?
        /// The next part of the answer.
        public var content: String?
        /// The next part of the reasoning.
        public var reasoning: String?
        /// The next parts of function calls.
        public var calls: [CallDelta]
        /// Why the reply has ended, in its last part.
        public var finishReason: FinishReason?
        /// The stop string that ended the reply, in its last part; nil if none did.
        public var stopString: String?
        /// The probabilities of the tokens in OpenAI's form; null if none were requested.
        public var logprobs: JSONValue

        /// Creates a part of a reply.
        public init(
            index: Int = 0, role: ChatMessageRole? = nil, content: String? = nil, reasoning: String? = nil,
            calls: [CallDelta] = [], finishReason: FinishReason? = nil, stopString: String? = nil,
            logprobs: JSONValue = .null
        ) {
            self.index = index
            self.role = role
            self.content = content
            self.reasoning = reasoning
            self.calls = calls
            self.finishReason = finishReason
            self.stopString = stopString
            self.logprobs = logprobs
        }

        /// The tokens of this part with their probabilities, as far as the server states them. Their ids are -1, because
        /// servers do not state those.
        public var probabilities: [TokenProbability] { LogprobForm.read(logprobs, upTo: 65_536) }
    }

    /// The number of tokens used, as far as a chunk states it.
    public enum Usage: Hashable, Sendable {
        /// It was not requested.
        case absent
        /// It follows in a later chunk.
        case pending
        /// The numbers of tokens.
        case known(GenerationStats)
    }

    /// The data of the event that ends a stream.
    public static let end = "[DONE]"

    /// The response's id, the same in all of its chunks.
    public var id: String
    /// The time at which the response was begun, in seconds since 1970.
    public var created: Int
    /// The name of the model that replies.
    public var model: String
    /// The next parts of the replies; empty in the chunk that states the number of tokens used.
    public var deltas: [Delta]
    /// The number of tokens used, as far as this chunk states it.
    public var usage: Usage
    /// Identifies the model and software that reply, including their versions; nil if the server does not state it.
    public var systemFingerprint: String?
    /// Members that OpenAI's API does not define, such as `timings`, in order; those of a chunk that was read are
    /// included.
    public var others: JSONObject

    /// Creates a chunk.
    public init(
        id: String, created: Int, model: String, deltas: [Delta], usage: Usage = .absent,
        systemFingerprint: String? = nil, others: JSONObject = [:]
    ) {
        self.id = id
        self.created = created
        self.model = model
        self.deltas = deltas
        self.usage = usage
        self.systemFingerprint = systemFingerprint
        self.others = others
    }

    // MARK: - JSON

    private static let members: Set<String> = [
        "id", "object", "created", "model", "choices", "usage", "system_fingerprint",
    ]

    /// The chunk as the data of a server-sent event.
    public var json: JSONValue {
        var members: JSONObject = [
            "id": .string(id), "object": "chat.completion.chunk", "created": .integer(created),
            "model": .string(model), "choices": .array(deltas.map(Self.json)),
        ]
        members["system_fingerprint"] = systemFingerprint.map(JSONValue.string)
        switch usage {
        case .absent: break
        case .pending: members["usage"] = .null
        case .known(let stats): members["usage"] = stats.usage
        }
        members.merge(others) { own, _ in own }
        return .object(members)
    }

    private static func json(_ delta: Delta) -> JSONValue {
        var content: JSONObject = [:]
        content["role"] = (delta.role?.rawValue).map(JSONValue.string)
        content["content"] = delta.content.map(JSONValue.string)
        content["reasoning_content"] = delta.reasoning.map(JSONValue.string)
        if !delta.calls.isEmpty { content["tool_calls"] = .array(delta.calls.map(json)) }
        var members: JSONObject = [
            "index": .integer(delta.index), "delta": .object(content), "logprobs": delta.logprobs,
        ]
        members.merge(FinishForm.json(delta.finishReason, stopString: delta.stopString)) { own, _ in own }
        return .object(members)
    }

    private static func json(_ call: CallDelta) -> JSONValue {
        var members: JSONObject = ["index": .integer(call.index)]
        members["id"] = call.id.map(JSONValue.string)
        if call.id != nil { members["type"] = "function" }
        var function: JSONObject = [:]
        function["name"] = call.name.map(JSONValue.string)
        function["arguments"] = .string(call.arguments)
        members["function"] = .object(function)
        return .object(members)
    }

    /// Reads a chunk from the bytes of an event's data, which must not be ``end``.
    ///
    /// - Throws: ``OpenAIError``, either the one in the chunk or one that names the invalid field.
    public init(reading data: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(data), limits: limits)
    }

    /// Reads a chunk; unknown members are kept in `others`.
    ///
    /// - Throws: ``OpenAIError``, either the one in the chunk or one that names the invalid field.
    public init(_ json: JSONValue, limits: WireLimits = .standard) throws(OpenAIError) {
        if let error = OpenAIError(json) { throw error }
        let fields = Field(json)
        try fields.requireObject()
        var deltas: [Delta] = []
        for (position, choice) in try (fields["choices"].elements(upTo: limits.choices) ?? []).enumerated() {
            deltas.append(try Self.delta(choice, position, limits))
        }
        let usage = try GenerationStats(fields["usage"]).map(Usage.known) ?? (json["usage"] == nil ? .absent : .pending)
        self.init(
            id: try fields["id"].string() ?? "", created: try fields["created"].integer() ?? 0,
            model: try fields["model"].string() ?? "", deltas: deltas, usage: usage,
            systemFingerprint: try fields["system_fingerprint"].string(),
            others: json.object?.filter { !Self.members.contains($0.key) } ?? [:])
    }

    /// Reads a part of a reply.
    ///
    /// Servers differ in what they write: reasoning under one of two names, content as parts, arguments as an object,
    /// an empty reason as long as there is none, or a whole `message` in place of a part.
    private static func delta(
        _ field: Field, _ position: Int, _ limits: WireLimits
    ) throws(OpenAIError) -> Delta {
        let content = field["delta"].isMissing ? field["message"] : field["delta"]
        var calls: [CallDelta] = []
        for (position, call) in try (content["tool_calls"].elements(upTo: limits.calls) ?? []).enumerated() {
            calls.append(
                CallDelta(
                    index: try call["index"].integer(in: 0...(limits.calls - 1)) ?? position,
                    id: try call["id"].string(), name: try call["function"]["name"].string(),
                    arguments: try arguments(call["function"]["arguments"])))
        }
        let refusal = try content["refusal"].string()
        let (text, thoughts) = try text(content["content"], limits)
        let reasoning = try content["reasoning_content"].string()
        let hasReason = field["finish_reason"].value.string != ""
        return Delta(
            index: try field["index"].integer() ?? position,
            role: try content["role"].string().flatMap(ChatMessageRole.init(rawValue:)),
            content: text ?? refusal,
            reasoning: reasoning ?? content["reasoning"].value.string ?? thoughts, calls: calls,
            finishReason: hasReason ? try FinishForm.reason(field) : nil, stopString: FinishForm.stopString(field),
            logprobs: field["logprobs"].value)
    }

    /// Reads the arguments of a call, which are a part of a text, or all of them as an object.
    private static func arguments(_ field: Field) throws(OpenAIError) -> String {
        if field.value.object != nil { return field.value.text() }
        return try field.string() ?? ""
    }

    /// Reads content that is a text, or a list of parts of which some may be reasoning.
    private static func text(
        _ field: Field, _ limits: WireLimits
    ) throws(OpenAIError) -> (text: String?, reasoning: String?) {
        guard field.value.array != nil else { return (try field.string(), nil) }
        var (text, reasoning): (String?, String?)
        for part in try field.elements(upTo: limits.parts) ?? [] {
            if let piece = part["text"].value.string { text = (text ?? "") + piece }
            let thoughts = part["thinking"]
            if let piece = thoughts.value.string { reasoning = (reasoning ?? "") + piece }
            for thought in thoughts.value.array ?? [] {
                if let piece = thought["text"]?.string { reasoning = (reasoning ?? "") + piece }
            }
        }
        return (text, reasoning)
    }
}
