// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A number as its decimal digits.
struct Decimal: Hashable, Sendable {
    var isNegative: Bool
    /// The digits before the point, without leading zeros: none for a number below one.
    var integer: [UInt8]
    /// The digits behind the point, without trailing zeros.
    var fraction: [UInt8]

    static let zero = Decimal(isNegative: false, integer: [], fraction: [])

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

    /// The digits of a number; nil where the value is no finite number.
    init?(_ value: JSONValue) {
        let text: String
        switch value {
        case .integer(let integer): text = String(integer)
        case .number(let number) where number.isFinite: text = String(number)
        default: return nil
        }
        var digits: [UInt8] = []
        var point = 0
        var hasPoint = false
        var rest = Substring(text)
        isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        while let character = rest.first, character.lowercased() != "e" {
            rest.removeFirst()
            if character == "." {
                hasPoint = true
            } else {
                digits.append(character.asciiValue.map { $0 &- 0x30 } ?? 0)
                if !hasPoint { point += 1 }
            }
        }
        point += Int(rest.dropFirst()) ?? 0
        // A double's exponent lies within three hundred or so, so that the zeros are few.
        if point < 0 { digits.insert(contentsOf: repeatElement(0, count: -point), at: 0) }
        if point > digits.count { digits += Array(repeating: 0, count: point - digits.count) }
        integer = Array(digits.prefix(max(point, 0)).drop { $0 == 0 })
        fraction = Array(digits.dropFirst(max(point, 0)))
        while fraction.last == 0 { fraction.removeLast() }
        if isZero { isNegative = false }
    }

    /// Whether this is less than another.
    static func < (left: Decimal, right: Decimal) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    /// Whether the distance from zero is smaller.
    private func isSmaller(than other: Decimal) -> Bool {
        guard integer.count == other.integer.count else { return integer.count < other.integer.count }
        if integer != other.integer { return integer.lexicographicallyPrecedes(other.integer) }
        return fraction.lexicographicallyPrecedes(other.fraction)
    }
}
