// SPDX-License-Identifier: Apache-2.0

/// The spelling of numbers and strings.
package enum JSONText {
    /// A finite double as Python's `repr` spells it: the fewest digits that read back as the same value, with an
    /// exponent below 1e-4 and from 1e16 on.
    package static func number(_ value: Double) -> String {
        if value == 0 { return value.sign == .minus ? "-0.0" : "0.0" }
        let (digits, exponent) = shortestDigits(value.magnitude)
        let sign = value < 0 ? "-" : ""
        let count = digits.count
        if exponent < -4 || exponent >= 16 {
            let fraction = count > 1 ? "." + digits.dropFirst() : ""
            let magnitude = String(exponent.magnitude)
            let padding = magnitude.count < 2 ? "0" : ""
            return sign + digits.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+") + padding + magnitude
        }
        if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits }
        if count <= exponent + 1 { return sign + digits + String(repeating: "0", count: exponent + 1 - count) + ".0" }
        return sign + digits.prefix(exponent + 1) + "." + digits.dropFirst(exponent + 1)
    }

    /// The digits of d.ddd × 10^exponent, without trailing zeros. They are taken from Swift's own description, which
    /// differs from Python's only in where it uses an exponent.
    package static func shortestDigits(_ value: Double) -> (digits: String, exponent: Int) {
        let parts = value.description.split(separator: "e")
        let mantissa = parts.first ?? ""
        let shift = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let whole = mantissa.prefix { $0 != "." }
        let all = whole + mantissa.dropFirst(whole.count + 1)
        let digits = all.drop { $0 == "0" }
        let exponent = shift + whole.count - 1 - (all.count - digits.count)
        let trailing = digits.reversed().prefix { $0 == "0" }.count
        return (String(digits.dropLast(trailing)), exponent)
    }

    /// Appends a string in quotes.
    package static func quote(
        _ scalars: some Sequence<Unicode.Scalar>, escapesNonASCII: Bool, into output: inout String
    ) {
        output += "\""
        for scalar in scalars { appendEscaped(scalar, escapesNonASCII: escapesNonASCII, to: &output) }
        output += "\""
    }

    /// Appends one character of a string, escaped where JSON (or the choice of ASCII) demands it.
    package static func appendEscaped(_ scalar: Unicode.Scalar, escapesNonASCII: Bool, to output: inout String) {
        switch scalar {
        case "\"": output += "\\\""
        case "\\": output += "\\\\"
        case "\n": output += "\\n"
        case "\r": output += "\\r"
        case "\t": output += "\\t"
        case "\u{8}": output += "\\b"
        case "\u{C}": output += "\\f"
        default:
            if scalar.value < 0x20 || (escapesNonASCII && scalar.value > 0x7E) {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { appendUnit(unit, to: &output) }
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
    }

    private static func appendUnit(_ unit: UInt16, to output: inout String) {
        let hex = String(unit, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    }
}
