// SPDX-License-Identifier: Apache-2.0

/// The tags between which a model reasons.
public struct ReasoningTags: Hashable, Sendable {
    /// What begins reasoning.
    public var opening: String
    /// What ends it.
    public var closing: String

    /// Creates tags; neither may be empty.
    public init(opening: String, closing: String) {
        self.opening = opening
        self.closing = closing
    }

    /// `<think>` and `</think>`, which most models use.
    public static let think = ReasoningTags(opening: "<think>", closing: "</think>")

    /// What ends reasoning that the model has not ended itself.
    package var forcedClosing: String { "\n\(closing)\n\n" }

    /// Whether a prompt ends with the opening tag, so that the reply begins inside reasoning. White space may follow.
    public func areOpen(atEndOf prompt: String) -> Bool {
        let scalars = prompt.unicodeScalars
        let end = scalars.lastIndex { !$0.properties.isWhitespace }.map(scalars.index(after:)) ?? scalars.startIndex
        return prompt.utf8[..<end].suffix(opening.utf8.count).elementsEqual(opening.utf8)
    }
}
