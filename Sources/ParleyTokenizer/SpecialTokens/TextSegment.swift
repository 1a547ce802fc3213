// SPDX-License-Identifier: Apache-2.0

/// A piece of a prompt, with its origin.
public struct TextSegment: Sendable, Hashable {
    /// The origin of a piece of a prompt.
    public enum Origin: Sendable, Hashable {
        /// The chat template: control tokens are recognised.
        case template
        /// Its input, such as a user's message: control tokens are ordinary text.
        case input
    }

    /// The text.
    public var text: String
    /// Who wrote it.
    public var origin: Origin

    /// Creates a segment.
    public init(_ text: String, origin: Origin) {
        self.text = text
        self.origin = origin
    }
}
