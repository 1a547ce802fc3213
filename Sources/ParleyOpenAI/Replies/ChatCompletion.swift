// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A complete response of OpenAI's `POST /v1/chat/completions` (`chat.completion`).
public struct ChatCompletion: Hashable, Sendable {
    /// One of the requested replies.
    public struct Choice: Hashable, Sendable {
        /// The number of the reply, from 0.
        public var index: Int
        /// The reply.
        public var message: ChatMessage
        /// Why the reply ended.
        public var finishReason: FinishReason
        /// The stop string that ended the reply; nil if none did.
        public var stopString: String?
        /// The probabilities of the reply's tokens in OpenAI's form; null if none were requested.
        public var logprobs: JSONValue

        /// Creates a choice.
        public init(
            index: Int = 0, message: ChatMessage, finishReason: FinishReason, stopString: String? = nil,
            logprobs: JSONValue = .null
        ) {
            self.index = index
            self.message = message
            self.finishReason = finishReason
            self.stopString = stopString
            self.logprobs = logprobs
        }

        /// Creates the choice of a reply.
        public init(_ completion: MessageCompletion, index: Int = 0) {
            self.init(
                index: index, message: completion.message, finishReason: completion.finishReason,
                stopString: completion.info.stopString,
                logprobs: completion.info.probabilities.map(LogprobForm.chat) ?? .null)
        }
    }

    /// The response's id, such as `chatcmpl-…`.
    public var id: String
    /// The time at which the response was created, in seconds since 1970.
    public var created: Int
    /// The name of the model that replied.
    public var model: String
    /// The replies.
    public var choices: [Choice]
    /// The number of tokens used; nil if the server does not state it.
    public var usage: GenerationStats?
    /// Identifies the model and software that replied, including their versions; nil if the server does not state it.
    public var systemFingerprint: String?
    /// Members that OpenAI's API does not define, such as `timings`, in order; those of a response that was read are
    /// included.
    public var others: JSONObject

    /// Creates a response.
    public init(
        id: String, created: Int, model: String, choices: [Choice], usage: GenerationStats? = nil,
        systemFingerprint: String? = nil, others: JSONObject = [:]
    ) {
        self.id = id
        self.created = created
        self.model = model
        self.choices = choices
        self.usage = usage
        self.systemFingerprint = systemFingerprint
        self.others = others
    }

    /// Creates a response with one reply.
    public init(
        _ completion: MessageCompletion, id: String, created: Int, model: String, systemFingerprint: String? = nil
    ) {
        self.init(
            id: id, created: created, model: model,
            choices: [Choice(completion)],
            usage: completion.stats, systemFingerprint: systemFingerprint)
    }

    // MARK: - JSON

    private static let members: Set<String> = [
        "id", "object", "created", "model", "choices", "usage", "system_fingerprint",
    ]

    /// Converts the response to the JSON of its body.
    ///
    /// - Throws: ``OpenAIError`` if an image is neither JPEG nor PNG.
    public func json() throws(OpenAIError) -> JSONValue {
        var list: [JSONValue] = []
        for choice in choices { list.append(try Self.json(choice)) }
        var members: JSONObject = [
            "id": .string(id), "object": "chat.completion", "created": .integer(created), "model": .string(model),
            "choices": .array(list),
        ]
        members["usage"] = usage?.usage
        members["system_fingerprint"] = systemFingerprint.map(JSONValue.string)
        members.merge(others) { own, _ in own }
        return .object(members)
    }

    private static func json(_ choice: Choice) throws(OpenAIError) -> JSONValue {
        var message = choice.message
        // An empty list is left out, because many programs take the presence of the list to mean that there are calls.
        if message.functionCalls?.isEmpty == true { message.functionCalls = nil }
        if message.content.isEmpty, message.functionCalls == nil { message.content = [.text("")] }
        var json = try MessageForm.json(message, content: .textWherePossible)
        json["refusal"] = .null
        var members: JSONObject = ["index": .integer(choice.index), "message": json, "logprobs": choice.logprobs]
        members.merge(FinishForm.json(choice.finishReason, stopString: choice.stopString)) { own, _ in own }
        return .object(members)
    }

    /// Reads a response from the bytes of its body.
    ///
    /// - Throws: ``OpenAIError``, either the one in the response or one that names the invalid field.
    public init(reading body: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(body), limits: limits)
    }

    /// Reads a response; unknown members are kept in `others`.
    ///
    /// - Throws: ``OpenAIError``, either the one in the response or one that names the invalid field.
    public init(_ json: JSONValue, limits: WireLimits = .standard) throws(OpenAIError) {
        if let error = OpenAIError(json) { throw error }
        let fields = Field(json)
        try fields.requireObject()
        var choices: [Choice] = []
        for (position, choice) in try fields["choices"].requiredElements(upTo: limits.choices).enumerated() {
            choices.append(try Self.choice(choice, position, limits))
        }
        self.init(
            id: try fields["id"].string() ?? "", created: try fields["created"].integer() ?? 0,
            model: try fields["model"].string() ?? "", choices: choices,
            usage: try GenerationStats(fields["usage"]),
            systemFingerprint: try fields["system_fingerprint"].string(),
            others: json.object?.filter { !Self.members.contains($0.key) } ?? [:])
    }

    private static func choice(
        _ field: Field, _ position: Int, _ limits: WireLimits
    ) throws(OpenAIError) -> Choice {
        Choice(
            index: try field["index"].integer() ?? position,
            message: try MessageForm.message(field["message"], limits: limits),
            finishReason: try FinishForm.reason(field) ?? .stop, stopString: FinishForm.stopString(field),
            logprobs: field["logprobs"].value)
    }
}
