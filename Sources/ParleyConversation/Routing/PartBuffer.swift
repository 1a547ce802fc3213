// SPDX-License-Identifier: Apache-2.0

/// Collects the parts of a reply, and releases only whole characters (grapheme clusters).
///
/// The last character may still grow: by a combining mark, by the second half of a flag, by an emoji joined to it. It
/// is therefore held back until the next one begins.
struct PartBuffer: Sendable {
    enum Kind { case text, reasoning }

    /// A character with more scalars than this is released in pieces. No script needs that many, and the delay must be
    /// limited.
    static let longestCharacter = 64

    private var parts: [ResponsePart] = []
    private var kind = Kind.text
    private var waiting = ""

    mutating func append(_ scalar: Unicode.Scalar, _ kind: Kind) {
        if kind != self.kind {
            settle()
            self.kind = kind
        }
        waiting.unicodeScalars.append(scalar)
    }

    mutating func append(_ part: ResponsePart) {
        settle()
        parts.append(part)
    }

    /// Releases the character held back, at the boundary between two kinds of parts.
    mutating func settle() {
        release(waiting)
        waiting = ""
    }

    /// Returns and removes the parts that are complete.
    mutating func take() -> [ResponsePart] {
        if let last = waiting.last {
            let tail = last.unicodeScalars.count > Self.longestCharacter ? "" : String(last)
            release(String(waiting.unicodeScalars.dropLast(tail.unicodeScalars.count)))
            waiting = tail
        }
        defer { parts = [] }
        return parts
    }

    private mutating func release(_ text: String) {
        guard !text.isEmpty else { return }
        parts.append(kind == .text ? .text(text) : .reasoning(text))
    }
}
