// SPDX-License-Identifier: Apache-2.0

/// A number that neither `Int` nor `Double` holds, as it is written: `18446744073709551615`, or
/// `0.1000000000000000001`.
///
/// Two of them are equal if they are written the same, even though differently written ones may have equal values.
public struct JSONDecimal: Hashable, Sendable, CustomStringConvertible {
    /// The number in JSON's notation.
    public let text: String
    /// The nearest double, which is finite.
    public let nearest: Double

    /// The number as it is written.
    public var description: String { text }

    /// Whether it is written without fraction and exponent.
    public var isInteger: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 &- 0x30) < 10 } }

    init(_ text: String, nearest: Double) {
        self.text = text
        self.nearest = nearest
    }
}

extension JSONValue {
    /// Creates a value from an integer of any width.
    ///
    /// Integers beyond the range of a double (about 309 digits) become `null`.
    public init(_ integer: some BinaryInteger) {
        self = Int(exactly: integer).map(JSONValue.integer) ?? JSONValue(number: String(integer)) ?? .null
    }

    /// Parses a number in JSON's notation without loss: as an integer or a double if one of them holds it exactly,
    /// otherwise as the text. Nil if the text is not a number or beyond the range of a double.
    public init?(number text: String) {
        guard let value = JSONParser.number(text) else { return nil }
        self = value
    }
}
