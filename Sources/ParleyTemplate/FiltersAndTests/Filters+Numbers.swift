// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Filters {
    /// Filters about numbers.
    static let numbers: [String: Filter] = [
        "int": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["default", "base"], of: "int")
            if case .undefined(let undefined) = value { throw undefined.error }
            let base = try bound.integer(1) ?? 10
            let fallback = bound[0] ?? .integer(0, value.origin)
            if let text = value.text {
                let digits = try PythonNumber.digits(text, interpreter.meter)
                if let number = PythonNumber.integer(digits, base: base) { return .integer(number, value.origin) }
                guard let number = PythonNumber.double(digits), number.isFinite else { return fallback }
                return .integer(try number.truncated(), value.origin)
            }
            if let number = value.integer { return .integer(number, value.origin) }
            guard let number = value.double, !number.isNaN else { return fallback }
            // As in Python, infinity is an error even where a default is given.
            return .integer(try number.truncated(), value.origin)
        },
        "float": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["default"], of: "float")
            if case .undefined(let undefined) = value { throw undefined.error }
            let number =
                if let text = value.text {
                    PythonNumber.double(try PythonNumber.digits(text, interpreter.meter))
                } else { value.double }
            return number.map { .double($0, value.origin) } ?? bound[0] ?? .double(0, value.origin)
        },
        "abs": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "abs")
            if let number = value.integer {
                guard number != .min else { throw Arithmetic.overflow }
                return .integer(abs(number), value.origin)
            }
            guard let number = value.double else { throw wrongInput("abs", "a number", value) }
            return .double(abs(number), value.origin)
        },
        "round": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["precision", "method"], of: "round")
            let precision = try bound.integer(0) ?? 0
            let method = try bound.text(1)?.name(interpreter.meter) ?? "common"
            try interpreter.meter.work(NumberFormat.price(of: value.double ?? 0, precision: precision))
            return try rounded(value, precision, method)
        },
        "sum": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["attribute", "start"], of: "sum")
            var sum = bound[1] ?? .integer(0, .template)
            guard sum.text == nil else { throw TemplateError(.wrongType, "sum() can't sum strings") }
            for item in try interpreter.elements(of: value) {
                try interpreter.meter.step()
                let part = try bound.present(0).map { path throws(TemplateError) in
                    try interpreter.attribute(at: path, of: item)
                }
                sum = try interpreter.apply(.add, sum, part ?? item)
            }
            return sum
        },
    ]

    private static func rounded(_ value: Value, _ precision: Int, _ method: String) throws(TemplateError) -> Value {
        guard ["common", "ceil", "floor"].contains(method) else {
            throw TemplateError(.invalidValue, "method must be common, ceil or floor")
        }
        guard let number = value.double else { throw wrongInput("round", "a number", value) }
        if method == "common" {
            guard let integer = value.integer else { return .double(roundedHalfEven(number, precision), value.origin) }
            guard precision < 0 else { return .integer(integer, value.origin) }
            return .integer(try roundedHalfEven(Double(integer), precision).truncated(), value.origin)
        }
        let factor = pow(10, Double(precision))
        let scaled = number * factor
        guard scaled.isFinite, factor > 0 else { throw Arithmetic.overflow }
        return .double(scaled.rounded(method == "ceil" ? .up : .down) / factor, value.origin)
    }

    /// Rounds the exact decimal value, as Python does: `2.675` is stored as slightly less, and becomes `2.67`.
    private static func roundedHalfEven(_ number: Double, _ precision: Int) -> Double {
        guard number.isFinite, precision < 400 else { return number }
        if precision >= 0 { return Double(String(format: "%.\(precision)f", number)) ?? number }
        let factor = pow(10, Double(-max(precision, -400)))
        return factor.isFinite ? (number / factor).rounded(.toNearestOrEven) * factor : 0
    }
}

/// Numbers in texts, as Python's `int` and `float` read them.
enum PythonNumber {
    /// The maximum number of digits, as in Python.
    private static let mostDigits = 4300

    /// The text of a number, without white space at its ends; empty where it is too long for any number.
    static func digits(_ text: MarkedText, _ meter: Meter) throws(TemplateError) -> String {
        try meter.work(6 * Meter.ticksPerStep)
        let trimmed = try text.stripped(meter, .both, of: nil)
        guard trimmed.size <= mostDigits else { return "" }
        try meter.work(64 * trimmed.size)
        return try trimmed.string(meter)
    }

    static func integer(_ text: String, base: Int) -> Int? {
        guard base == 0 || (2...36).contains(base) else { return nil }
        var digits = text[...]
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        var radix = base
        let prefixes: [String: Int] = ["0x": 16, "0o": 8, "0b": 2]
        if let prefixed = prefixes[digits.prefix(2).lowercased()], base == 0 || base == prefixed {
            radix = prefixed
            digits = digits.dropFirst(2)
            if digits.first == "_" { digits.removeFirst() }
        } else if base == 0 {
            guard digits.first != "0" || digits.allSatisfy({ $0 == "0" || $0 == "_" }) else { return nil }
            radix = 10
        }
        guard let plain = withoutUnderscores(digits), plain.first != "-", plain.first != "+" else { return nil }
        return Int((isNegative ? "-" : "") + plain, radix: radix)
    }

    static func double(_ text: String) -> Double? {
        let word = text.lowercased().drop { $0 == "+" || $0 == "-" }
        if ["inf", "infinity", "nan"].contains(word) { return Double(text) }
        guard let plain = withoutUnderscores(text[...]) else { return nil }
        let isDecimal = plain.utf8.allSatisfy { byte in
            (48...57).contains(byte) || byte == 43 || byte == 45 || byte == 46 || byte | 32 == 101
        }
        return isDecimal ? Double(plain.hasSuffix(".") ? plain + "0" : plain.replacing(".e", with: ".0e")) : nil
    }

    /// The digits without single underscores between them.
    private static func withoutUnderscores(_ digits: Substring) -> String? {
        let parts = digits.split(separator: "_", omittingEmptySubsequences: false)
        let isDigit = { (character: Character?) in character?.isHexDigit ?? false }
        guard zip(parts, parts.dropFirst()).allSatisfy({ isDigit($0.last) && isDigit($1.first) }) else { return nil }
        let plain = parts.joined()
        return plain.isEmpty ? nil : plain
    }
}
