// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A piece of a streamed answer (`chat.completion.chunk`): the data of one server-sent event.
public struct ChatCompletionChunk: Hashable, Sendable {
    /// A piece of a call: the first of a call has its id and name, later ones go on with the arguments.
    public struct CallDelta: Hashable, Sendable {
        /// Which call of the reply, from 0.
        public var index: Int
        /// The call's id.
        public var id: String?
        /// The function's name.
        public var name: String?
        /// More of the arguments' text.
        public var arguments: String

        /// Creates a piece.
        public init(index: Int, id: String? = nil, name: String? = nil, arguments: String = "") {
            self.index = index
            self.id = id
            self.name = name
            self.arguments = arguments
        }
    }

    /// What one of the replies goes on with.
    public struct Delta: Hashable, Sendable {
        /// Which of the replies, from 0.
        public var index: Int
        /// The author, in the first piece.
        public var role: ChatMessageRole?
        /// More of the answer.
        public var content: String?
        /// More of the reasoning.
        public var reasoning: String?
        /// More of the calls.
        public var calls: [CallDelta]
        /// Why the reply has ended, in its last piece.
        public var finishReason: FinishReason?
        /// The probabilities of its tokens as OpenAI has them; null where none were asked for.
        public var logprobs: JSONValue

        /// Creates a piece.
        public init(
            index: Int = 0, role: ChatMessageRole? = nil, content: String? = nil, reasoning: String? = nil,
            calls: [CallDelta] = [], finishReason: FinishReason? = nil, logprobs: JSONValue = .null
        ) {
            self.index = index
            self.role = role
            self.content = content
            self.reasoning = reasoning
            self.calls = calls
            self.finishReason = finishReason
            self.logprobs = logprobs
        }
    }

    /// What a chunk says about the cost of the answer.
    public enum Usage: Hashable, Sendable {
        /// Nothing: it is not wanted.
        case absent
        /// That it comes later.
        case pending
        /// It.
        case known(GenerationStats)
    }

    /// The data that ends a stream.
    public static let end = "[DONE]"

    /// The answer's name, the same in all of its chunks.
    public var id: String
    /// When the answer was begun, in seconds since 1970.
    public var created: Int
    /// The model that replies.
    public var model: String
    /// What the replies go on with; empty in the chunk that tells the cost.
    public var deltas: [Delta]
    /// What the answer cost.
    public var usage: Usage
    /// Names what replies, down to the version; nil where the server does not say.
    public var systemFingerprint: String?
    /// Members beyond OpenAI's, in order, such as `timings`. Those of chunks that are read are here as well.
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

    /// The chunk as the data of an event.
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
        members.merge(FinishForm.json(delta.finishReason)) { own, _ in own }
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

    /// Reads a chunk from the bytes of an event's data, which are not those of ``end``.
    ///
    /// - Throws: ``OpenAIError``: what the server says, or what is wrong with the chunk, by name.
    public init(reading data: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(data), limits: limits)
    }

    /// Reads a chunk. What is not known is passed over.
    ///
    /// - Throws: ``OpenAIError``: what the server says, or what is wrong with the chunk, by name.
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

    private static func delta(
        _ field: Field, _ position: Int, _ limits: WireLimits
    ) throws(OpenAIError) -> Delta {
        let content = field["delta"]
        var calls: [CallDelta] = []
        for (position, call) in try (content["tool_calls"].elements(upTo: limits.calls) ?? []).enumerated() {
            calls.append(
                CallDelta(
                    index: try call["index"].integer(in: 0...(limits.calls - 1)) ?? position,
                    id: try call["id"].string(), name: try call["function"]["name"].string(),
                    arguments: try call["function"]["arguments"].string() ?? ""))
        }
        let refusal = try content["refusal"].string()
        return Delta(
            index: try field["index"].integer() ?? position,
            role: try content["role"].string().flatMap(ChatMessageRole.init(rawValue:)),
            content: try content["content"].string() ?? refusal,
            reasoning: try content["reasoning_content"].string(), calls: calls,
            finishReason: try FinishForm.reason(field), logprobs: field["logprobs"].value)
    }
}
