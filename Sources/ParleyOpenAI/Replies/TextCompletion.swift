// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A response of OpenAI's `POST /v1/completions` (`text_completion`), whole or a part of a stream.
public struct TextCompletion: Hashable, Sendable {
    /// A text, or its next part.
    public struct Choice: Hashable, Sendable {
        /// The number of the text, from 0.
        public var index: Int
        /// The text.
        public var text: String
        /// Why it ended; nil in a part that is not the last.
        public var finishReason: FinishReason?
        /// The stop string that ended it; nil if none did.
        public var stopString: String?
        /// The probabilities of its tokens in OpenAI's form; null if none were requested.
        public var logprobs: JSONValue

        /// Creates a text.
        public init(
            index: Int, text: String, finishReason: FinishReason? = nil, stopString: String? = nil,
            logprobs: JSONValue = .null
        ) {
            self.index = index
            self.text = text
            self.finishReason = finishReason
            self.stopString = stopString
            self.logprobs = logprobs
        }
    }

    /// The response's id, such as `cmpl-…`.
    public var id: String
    /// The time at which the response was created, in seconds since 1970.
    public var created: Int
    /// The name of the model.
    public var model: String
    /// The texts.
    public var choices: [Choice]
    /// The number of tokens used; nil if it is not stated here.
    public var usage: GenerationStats?
    /// Identifies the model and software, including their versions; nil if the server does not state it.
    public var systemFingerprint: String?
    /// Members that OpenAI's API does not define, such as `timings`.
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

    /// The response as the JSON of its body, or as the data of an event.
    public var json: JSONValue {
        let list = choices.map { choice -> JSONValue in
            var members: JSONObject = [
                "index": .integer(choice.index), "text": .string(choice.text), "logprobs": choice.logprobs,
            ]
            members.merge(FinishForm.json(choice.finishReason, stopString: choice.stopString)) { own, _ in own }
            return .object(members)
        }
        var members: JSONObject = [
            "id": .string(id), "object": "text_completion", "created": .integer(created), "model": .string(model),
            "choices": .array(list),
        ]
        members["usage"] = usage?.usage
        members["system_fingerprint"] = systemFingerprint.map(JSONValue.string)
        members.merge(others) { own, _ in own }
        return .object(members)
    }

    /// The `logprobs` of tokens of a text.
    ///
    /// - Parameters:
    ///   - probabilities: the tokens.
    ///   - offset: the number of characters of the text before the first of them.
    ///   - hasStart: whether the first of them is the first of a prompt, before which there is nothing.
    /// - Returns: the member.
    public static func logprobs(
        _ probabilities: [TokenProbability], offset: Int = 0, hasStart: Bool = false
    ) -> JSONValue {
        LogprobForm.text(probabilities, offset: offset, hasStart: hasStart)
    }
}
