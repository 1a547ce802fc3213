// SPDX-License-Identifier: Apache-2.0

/// A text that is shown while it grows. White space at its end is held back until more follows, for the text of a finished
/// reply ends without it.
package struct GrowingText {
    private var shown: String

    /// Begins with what is shown already.
    package init(_ shown: String = "") { self.shown = String(Self.ended(shown)) }

    /// What is to be shown of a later state of the text; nil if it does not begin with what is shown.
    package mutating func added(by text: String) -> String? {
        let text = Self.ended(text)
        guard text.hasPrefix(shown) else { return nil }
        let added = text.dropFirst(shown.count)
        shown = String(text)
        return String(added)
    }

    private static func ended(_ text: String) -> Substring {
        text[..<(text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex)]
    }
}
