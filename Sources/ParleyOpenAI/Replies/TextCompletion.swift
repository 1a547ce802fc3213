// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A response of OpenAI's `POST /v1/completions` (`text_completion`), whole or a part of a stream.
@dynamicMemberLookup
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

    /// What the response tells beside its texts; its members are the response's own too.
    public var head: CompletionHead
    /// The texts.
    public var choices: [Choice]

    /// Creates a response.
    public init(_ head: CompletionHead, choices: [Choice]) {
        self.head = head
        self.choices = choices
    }

    /// A member of ``head``.
    public subscript<Value>(dynamicMember member: WritableKeyPath<CompletionHead, Value>) -> Value {
        get { head[keyPath: member] }
        set { head[keyPath: member] = newValue }
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
        return head.json("text_completion", choices: list)
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
