// SPDX-License-Identifier: Apache-2.0

/// A text that is compared by code points. In Swift `é` equals `e` with a combining accent; as names in JSON they
/// differ.
package struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text.
    package let string: String

    /// Creates an exact text from a string.
    package init(_ string: String) { self.string = string }

    /// Creates an exact text from a string.
    package init(stringLiteral value: String) { string = value }

    /// The text.
    package var description: String { string }

    /// Whether two texts have the same code points.
    package static func == (left: ExactText, right: ExactText) -> Bool { left.string.isExactly(right.string) }

    /// Hashes the code points.
    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension StringProtocol {
    /// Whether two texts have the same code points.
    package func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
