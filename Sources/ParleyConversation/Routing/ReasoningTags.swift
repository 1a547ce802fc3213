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

    /// The pairs that are looked for in templates.
    private static let known = [
        think, ReasoningTags(opening: "<thinking>", closing: "</thinking>"),
        ReasoningTags(opening: "[THINK]", closing: "[/THINK]"),
        ReasoningTags(opening: "<|START_THINKING|>", closing: "<|END_THINKING|>"),
        ReasoningTags(opening: "<seed:think>", closing: "</seed:think>"),
    ]

    /// The tags that a chat template mentions; ``think`` where it mentions none.
    public init(template: String) {
        self = Self.known.first { template.contains($0.closing) || template.contains($0.opening) } ?? .think
    }

    /// Whether a prompt ends with the opening tag, so that the reply begins inside reasoning. White space may follow.
    public func areOpen(atEndOf prompt: String) -> Bool {
        let scalars = prompt.unicodeScalars
        let end = scalars.lastIndex { !$0.properties.isWhitespace }.map(scalars.index(after:)) ?? scalars.startIndex
        return prompt.utf8[..<end].suffix(opening.utf8.count).elementsEqual(opening.utf8)
    }
}
