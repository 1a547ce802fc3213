// SPDX-License-Identifier: Apache-2.0

/// The tags around a model's reasoning.
public struct ReasoningTags: Hashable, Sendable {
    /// The tag that begins reasoning.
    public var opening: String
    /// The tag that ends reasoning.
    public var closing: String

    /// Creates tags; neither may be empty.
    public init(opening: String, closing: String) {
        self.opening = opening
        self.closing = closing
    }

    /// `<think>` and `</think>`, which most models use.
    public static let think = ReasoningTags(opening: "<think>", closing: "</think>")

    /// The text that is inserted to end reasoning when its token budget is spent.
    package var forcedClosing: String { "\n\(closing)\n\n" }

    /// Whether a prompt ends with the opening tag, optionally followed by white space, so that the reply begins inside
    /// reasoning.
    public func areOpen(atEndOf prompt: String) -> Bool {
        let scalars = prompt.unicodeScalars
        let end = scalars.lastIndex { !$0.properties.isWhitespace }.map(scalars.index(after:)) ?? scalars.startIndex
        return prompt.utf8[..<end].suffix(opening.utf8.count).elementsEqual(opening.utf8)
    }
}
