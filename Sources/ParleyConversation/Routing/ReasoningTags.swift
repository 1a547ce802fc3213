// SPDX-License-Identifier: Apache-2.0

/// The tags around a model's reasoning, and those that stand between it and the answer.
public struct ReasoningTags: Hashable, Sendable {
    /// The tag that begins reasoning.
    public var opening: String
    /// The tag that ends reasoning.
    public var closing: String
    /// What begins another message of the same reply, in formats in which reasoning, answer and calls are messages;
    /// otherwise empty.
    public var message: String
    /// The header of the message with the answer; empty if an answer has none.
    public var answer: String
    /// Tags that are left out of the text of the answer.
    public var hidden: [String]
    /// The tags that may enclose an answer after reasoning, at its very beginning and end; empty if there are none. They
    /// are left out of its text.
    public var answerOpening: String
    /// The tag that ends what ``answerOpening`` begins.
    public var answerClosing: String

    /// Creates tags; opening and closing tag must not be empty.
    public init(
        opening: String, closing: String, message: String = "", answer: String = "", hidden: [String] = [],
        answerOpening: String = "", answerClosing: String = ""
    ) {
        self.opening = opening
        self.closing = closing
        self.message = message
        self.answer = answer
        self.hidden = hidden
        self.answerOpening = answerOpening
        self.answerClosing = answerClosing
    }

    /// `<think>` and `</think>`, which most models use.
    public static let think = ReasoningTags(opening: "<think>", closing: "</think>")

    /// The text that is inserted to end reasoning when its token budget is spent.
    ///
    /// - Parameter mayCall: whether a call may follow as well as the answer: where a header tells them apart, the model
    ///   writes it.
    /// - Returns: the text, which begins with the closing tag.
    package func forcedClosing(mayCall: Bool) -> String {
        answer.isEmpty ? "\n\(closing)\n\n" : closing + message + (mayCall ? "" : answer)
    }

    /// Whether a prompt ends with the opening tag, optionally followed by white space, so that the reply begins inside
    /// reasoning.
    public func areOpen(atEndOf prompt: String) -> Bool {
        let scalars = prompt.unicodeScalars
        let end = scalars.lastIndex { !$0.properties.isWhitespace }.map(scalars.index(after:)) ?? scalars.startIndex
        return prompt.utf8[..<end].suffix(opening.utf8.count).elementsEqual(opening.utf8)
    }
}
