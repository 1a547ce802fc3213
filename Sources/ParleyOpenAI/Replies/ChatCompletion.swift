// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A complete response of OpenAI's `POST /v1/chat/completions` (`chat.completion`).
@dynamicMemberLookup
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

    /// What the response tells beside its replies; its members are the response's own too.
    public var head: CompletionHead
    /// The replies.
    public var choices: [Choice]

    /// Creates a response.
    public init(_ head: CompletionHead, choices: [Choice]) {
        self.head = head
        self.choices = choices
    }

    /// Creates a response with one reply.
    public init(
        _ completion: MessageCompletion, id: String, created: Int, model: String, systemFingerprint: String? = nil
    ) {
        let head = CompletionHead(
            id: id, created: created, model: model, usage: completion.stats, systemFingerprint: systemFingerprint)
        self.init(head, choices: [Choice(completion)])
    }

    /// A member of ``head``.
    public subscript<Value>(dynamicMember member: WritableKeyPath<CompletionHead, Value>) -> Value {
        get { head[keyPath: member] }
        set { head[keyPath: member] = newValue }
    }

    // MARK: - JSON

    /// Converts the response to the JSON of its body.
    ///
    /// - Throws: ``OpenAIError`` if an image is neither JPEG nor PNG.
    public func json() throws(OpenAIError) -> JSONValue {
        var list: [JSONValue] = []
        for choice in choices { list.append(try Self.json(choice)) }
        return head.json("chat.completion", choices: list)
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
        self.init(try CompletionHead(fields), choices: choices)
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
