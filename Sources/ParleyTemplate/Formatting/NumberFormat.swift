// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Numbers as C and Python format them.
enum NumberFormat {
    /// An integer with its sign and prefix, padded.
    static func integer(_ value: Int, _ specification: FormatSpecification) throws(TemplateError) -> String {
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
            return pad(String(scalar), sign: "", specification, fallback: "<")
        default: return try double(Double(value), specification)
        }
        let grouped = group(digits, specification, size: prefix.isEmpty ? 3 : 4)
        let sign = sign(isNegative: value < 0, specification) + (specification.isAlternate ? prefix : "")
        return pad(grouped, sign: sign, specification, fallback: ">")
    }

    /// A double with its sign, padded.
    static func double(_ value: Double, _ specification: FormatSpecification) throws(TemplateError) -> String {
        let isNegative = value.sign == .minus && !value.isNaN
        let body = try magnitude(value.magnitude, specification)
        let whole = String(body.prefix { $0.isNumber })
        let grouped = group(whole, specification, size: 3) + body.dropFirst(whole.count)
        return pad(grouped, sign: sign(isNegative: isNegative, specification), specification, fallback: ">")
    }

    private static func magnitude(_ value: Double, _ specification: FormatSpecification) throws(TemplateError) -> String {
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

    /// Like `g`, but with a fraction, and with an exponent already where that many digits would leave none.
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
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % size == 0 { result.unicodeScalars.append(separator) }
            result.append(digit)
        }
        return result
    }

    private static func pad(
        _ digits: String, sign: String, _ specification: FormatSpecification, fallback: Unicode.Scalar
    ) -> String {
        let missing = max(specification.width - digits.unicodeScalars.count - sign.unicodeScalars.count, 0)
        let fill = { (count: Int) in String(repeating: Character(specification.fill), count: count) }
        switch specification.alignment ?? fallback {
        case "<": return sign + digits + fill(missing)
        case "^": return fill(missing / 2) + sign + digits + fill(missing - missing / 2)
        case "=": return sign + fill(missing) + digits
        default: return fill(missing) + sign + digits
        }
    }
}
