// SPDX-License-Identifier: Apache-2.0

/// The digits of a decimal number and the position of its point. Equal for equal numbers, however they are written.
package struct DecimalDigits: Hashable, Sendable {
    package var isNegative = false
    /// The digits without zeros at either end, each from 0 to 9; none for zero.
    package var digits: [UInt8] = []
    /// The number of digits before the point; negative if zeros follow the point, and 0 for zero. Clamped to ±10¹⁵.
    package var point = 0

    /// Whether the number is whole.
    package var isInteger: Bool { point >= digits.count }

    /// Parses a number in JSON's or Swift's notation. The text must be valid.
    package init(_ text: some StringProtocol) {
        var shift = 0
        var isBehindPoint = false
        var exponent: (isNegative: Bool, value: Int)?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                if exponent == nil { isNegative = true } else { exponent?.isNegative = true }
            case UInt8(ascii: "."): isBehindPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): exponent = (false, 0)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = byte - 0x30
                if let known = exponent {
                    // Clamped to a value far larger than the length of any text.
                    exponent?.value = min(known.value * 10 + Int(digit), 1_000_000_000_000_000)
                } else {
                    if !isBehindPoint, !digits.isEmpty || digit > 0 { point += 1 }
                    if isBehindPoint, digits.isEmpty, digit == 0 { shift += 1 }
                    if !digits.isEmpty || digit > 0 { digits.append(digit) }
                }
            default: break
            }
        }
        while digits.last == 0 { digits.removeLast() }
        guard !digits.isEmpty else {
            (isNegative, point) = (false, 0)
            return
        }
        point -= shift
        if let exponent { point += exponent.isNegative ? -exponent.value : exponent.value }
    }
}
