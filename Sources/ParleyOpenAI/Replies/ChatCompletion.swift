// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A whole answer of OpenAI's `POST /v1/chat/completions` (`chat.completion`).
public struct ChatCompletion: Hashable, Sendable {
    /// One of the replies that were asked for.
    public struct Choice: Hashable, Sendable {
        /// Which of them, from 0.
        public var index: Int
        /// The reply.
        public var message: ChatMessage
        /// Why it ended.
        public var finishReason: FinishReason
        /// The probabilities of its tokens as OpenAI has them; null where none were asked for.
        public var logprobs: JSONValue

        /// Creates a choice.
        public init(
            index: Int = 0, message: ChatMessage, finishReason: FinishReason, logprobs: JSONValue = .null
        ) {
            self.index = index
            self.message = message
            self.finishReason = finishReason
            self.logprobs = logprobs
        }
    }

    /// The answer's name, such as `chatcmpl-…`.
    public var id: String
    /// When it was made, in seconds since 1970.
    public var created: Int
    /// The model that replied.
    public var model: String
    /// The replies.
    public var choices: [Choice]
    /// What they cost; nil where the server does not say.
    public var usage: GenerationStats?
    /// Names what replied, down to the version; nil where the server does not say.
    public var systemFingerprint: String?
    /// Members beyond OpenAI's, in order, such as `timings`. Those of answers that are read are here as well.
    public var others: JSONObject

    /// Creates an answer.
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

    /// Creates the answer with one reply.
    public init(
        _ completion: MessageCompletion, id: String, created: Int, model: String, systemFingerprint: String? = nil
    ) {
        self.init(
            id: id, created: created, model: model,
            choices: [Choice(message: completion.message, finishReason: completion.finishReason)],
            usage: completion.stats, systemFingerprint: systemFingerprint)
    }

    // MARK: - JSON

    private static let members: Set<String> = [
        "id", "object", "created", "model", "choices", "usage", "system_fingerprint",
    ]

    /// The answer as the body to send.
    ///
    /// - Throws: ``OpenAIError`` for an image that is neither JPEG nor PNG.
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
        // An empty list is no list for many programs.
        if message.functionCalls?.isEmpty == true { message.functionCalls = nil }
        if message.content.isEmpty, message.functionCalls == nil { message.content = [.text("")] }
        var json = try MessageForm.json(message, content: .textWherePossible)
        json["refusal"] = .null
        var members: JSONObject = ["index": .integer(choice.index), "message": json, "logprobs": choice.logprobs]
        members.merge(FinishForm.json(choice.finishReason)) { own, _ in own }
        return .object(members)
    }

    /// Reads an answer from its bytes.
    ///
    /// - Throws: ``OpenAIError``: what the server says, or what is wrong with the answer, by name.
    public init(reading body: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(body), limits: limits)
    }

    /// Reads an answer. What is not known is passed over.
    ///
    /// - Throws: ``OpenAIError``: what the server says, or what is wrong with the answer, by name.
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
            finishReason: try FinishForm.reason(field) ?? .stop, logprobs: field["logprobs"].value)
    }
}
