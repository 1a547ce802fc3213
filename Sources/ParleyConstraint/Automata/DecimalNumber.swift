// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A number as its decimal digits.
struct DecimalNumber: Hashable, Sendable {
    var isNegative: Bool
    /// The digits before the point, without leading zeros: none for a number below one.
    var integer: [UInt8]
    /// The digits after the point, without trailing zeros.
    var fraction: [UInt8]

    static let zero = DecimalNumber(isNegative: false, integer: [], fraction: [])

    var isZero: Bool { integer.isEmpty && fraction.isEmpty }

    /// The number written out, without an exponent.
    var bytes: [UInt8] {
        let digits = { (digits: [UInt8]) in digits.map { $0 + 0x30 } }
        return (isNegative ? [UInt8(ascii: "-")] : []) + (integer.isEmpty ? [0x30] : digits(integer))
            + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + digits(fraction))
    }

    private init(isNegative: Bool, integer: [UInt8], fraction: [UInt8]) {
        self.isNegative = isNegative
        self.integer = integer
        self.fraction = fraction
    }

    /// The maximum number of digits on either side of the point: more than any double has.
    private static let digitLimit = 400

    /// Creates the decimal digits of a number; nil if the value is not a number, or has more digits than any double.
    init?(_ value: JSONValue) {
        let known: DecimalDigits
        switch value {
        case .integer(let integer): known = DecimalDigits(String(integer))
        case .number(let number) where number.isFinite: known = DecimalDigits(number.description)
        case .decimal(let decimal): known = DecimalDigits(decimal.text)
        default: return nil
        }
        let (digits, point) = (known.digits, known.point)
        guard digits.count <= Self.digitLimit, abs(point) <= Self.digitLimit else { return nil }
        let zeros = { (count: Int) in [UInt8](repeating: 0, count: max(count, 0)) }
        isNegative = known.isNegative
        integer = digits.prefix(max(point, 0)) + zeros(point - digits.count)
        fraction = digits.isEmpty ? [] : zeros(-point) + digits.dropFirst(max(point, 0))
    }

    /// Whether this is less than another.
    static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    /// Whether the absolute value is smaller.
    private func isSmaller(than other: DecimalNumber) -> Bool {
        guard integer.count == other.integer.count else { return integer.count < other.integer.count }
        if integer != other.integer { return integer.lexicographicallyPrecedes(other.integer) }
        return fraction.lexicographicallyPrecedes(other.fraction)
    }
}
