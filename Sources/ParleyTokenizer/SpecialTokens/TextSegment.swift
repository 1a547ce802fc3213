// SPDX-License-Identifier: Apache-2.0

/// A piece of a prompt, with its origin.
package struct TextSegment: Sendable, Hashable {
    /// The origin of a piece of a prompt.
    package enum Origin: Sendable, Hashable {
        /// The chat template: control tokens are recognised.
        case template
        /// Its input, such as a user's message: control tokens are ordinary text.
        case input
    }

    /// The text.
    package var text: String
    /// Who wrote it.
    package var origin: Origin

    /// Creates a segment.
    package init(_ text: String, origin: Origin) {
        self.text = text
        self.origin = origin
    }
}
