// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Numbers as C and Python format them, without padding to a width.
enum NumberFormat {
    /// A number's text in two parts, between which padding zeros can be inserted.
    struct Number {
        var sign: String
        var digits: String
        /// Whether this is a character given by its code point.
        var isCharacter = false
    }

    /// The maximum precision of a fraction; all further digits of a double are zeros.
    static let mostPrecision = 1100

    /// The cost in ticks of formatting a double: proportional to its digits, including those before the point.
    static func price(of value: Double, precision: Int) -> Int {
        let digits = value.isFinite ? min(value.exponent.magnitude.asInt, 1100) * 3 / 10 : 0
        return 16 * Meter.ticksPerStep + 16 * (min(precision.magnitude.asInt, mostPrecision) + digits)
    }

    /// An integer with its sign and prefix.
    static func integer(
        _ value: Int, _ specification: FormatSpecification, _ meter: Meter
    ) throws(TemplateError) -> Number {
        try meter.step()
        let digits: String
        var prefix = ""
        switch specification.type {
        case nil, "d"?, "i"?, "u"?, "n"?: digits = String(value.magnitude)
        case "x"?: (digits, prefix) = (String(value.magnitude, radix: 16), "0x")
        case "X"?: (digits, prefix) = (String(value.magnitude, radix: 16, uppercase: true), "0X")
        case "o"?: (digits, prefix) = (String(value.magnitude, radix: 8), "0o")
        case "b"?: (digits, prefix) = (String(value.magnitude, radix: 2), "0b")
        case "c"?:
            guard let code = UInt32(exactly: value), let scalar = Unicode.Scalar(code) else {
                throw TemplateError(.invalidValue, "%c arg not in range")
            }
            return Number(sign: "", digits: String(scalar), isCharacter: true)
        default: return try double(Double(value), specification, meter)
        }
        let grouped = group(digits, specification, size: prefix.isEmpty ? 3 : 4)
        let sign = sign(isNegative: value < 0, specification) + (specification.isAlternate ? prefix : "")
        return Number(sign: sign, digits: grouped)
    }

    /// A double with its sign.
    static func double(
        _ value: Double, _ specification: FormatSpecification, _ meter: Meter
    ) throws(TemplateError) -> Number {
        guard specification.precision ?? 0 <= mostPrecision else {
            throw TemplateError(.valueTooLarge, "A precision in a format is too large.")
        }
        try meter.work(price(of: value, precision: specification.precision ?? 6))
        let isNegative = value.sign == .minus && !value.isNaN
        let body = try magnitude(value.magnitude, specification)
        let whole = String(decoding: body.utf8.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        let grouped = group(whole, specification, size: 3) + String(body.unicodeScalars.dropFirst(whole.utf8.count))
        return Number(sign: sign(isNegative: isNegative, specification), digits: grouped)
    }

    private static func magnitude(_ value: Double, _ specification: FormatSpecification) throws(TemplateError) -> String
    {
        let type = specification.type.map(Character.init)
        let isUpper = type == "F" || type == "E" || type == "G"
        if !value.isFinite {
            let word = value.isNaN ? "nan" : "inf"
            return (isUpper ? word.uppercased() : word) + (type == "%" ? "%" : "")
        }
        let precision = specification.precision
        let flag = specification.isAlternate ? "#" : ""
        switch type {
        case nil:
            guard let precision else { return Printer.spelling(of: value) }
            return general(value, max(precision, 1))
        case "f", "F", "e", "E", "g", "G":
            return String(format: "%\(flag).\(precision ?? 6)\(type ?? "f")", value)
        case "n": return String(format: "%.\(precision ?? 6)g", value)
        case "%": return String(format: "%.\(precision ?? 6)f", value * 100) + "%"
        default: throw TemplateError(.invalidValue, "Unknown format code for a number")
        }
    }

    /// Like `g`, but always with a fraction, and with an exponent where all digits would stand before the point.
    private static func general(_ value: Double, _ precision: Int) -> String {
        let text = String(format: "%.\(precision)g", value)
        if text.contains("e") || text.contains(".") { return text }
        guard text.count < precision else {
            return String(format: "%.\(precision - 1)e", value).replacing(".0e", with: "e")
        }
        return text + ".0"
    }

    private static func sign(isNegative: Bool, _ specification: FormatSpecification) -> String {
        if isNegative { return "-" }
        return specification.sign == "-" ? "" : String(specification.sign)
    }

    private static func group(_ digits: String, _ specification: FormatSpecification, size: Int) -> String {
        guard let separator = specification.grouping else { return digits }
        let count = digits.utf8.count
        var result = ""
        for (index, digit) in digits.unicodeScalars.enumerated() {
            if index > 0, (count - index) % size == 0 { result.unicodeScalars.append(separator) }
            result.unicodeScalars.append(digit)
        }
        return result
    }
}

extension UInt {
    fileprivate var asInt: Int { Int(clamping: self) }
}
