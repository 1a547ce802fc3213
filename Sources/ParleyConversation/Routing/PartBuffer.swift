// SPDX-License-Identifier: Apache-2.0

/// Collects the parts of a reply and lets out whole characters only.
///
/// A character may still grow when it is the last: a mark may combine with it, a flag get its second half, an emoji
/// be joined to another. So the last one waits for what follows.
struct PartBuffer: Sendable {
    enum Kind { case text, reasoning }

    /// A character of more scalars than this is let out in pieces: no script needs so many, and the wait must end.
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

    /// Lets out what waits: here one thing ends and another begins.
    mutating func settle() {
        release(waiting)
        waiting = ""
    }

    /// The parts that can go out now.
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
