// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// How values are written.
enum ValueNotation: Hashable, Sendable {
    case json
    /// Python's words for what JSON calls true, false and null.
    case python
    /// Python's words, and objects as the keyword arguments of a call: `(a=1, b="x")`.
    case keywordArguments

    var isKeywordArguments: Bool { self == .keywordArguments }

    var null: String { self == .json ? "null" : "None" }

    func word(_ value: Bool) -> String {
        let word = value ? "true" : "false"
        return self == .json ? word : value ? "True" : "False"
    }

    var brackets: (open: String, close: String) { isKeywordArguments ? ("(", ")") : ("{", "}") }

    /// A property's name with what parts it from its value; the name as in a JSON string.
    func spellings(ofName name: [UInt8]) -> [[UInt8]] {
        if isKeywordArguments { return [name + [UInt8(ascii: "=")]] }
        let quote = UInt8(ascii: "\"")
        let spelled = [quote] + name + [quote, UInt8(ascii: ":")]
        return [spelled, spelled + [UInt8(ascii: " ")]]
    }

    /// A value that has no parts; nothing for arrays and objects.
    func spellings(ofScalar value: JSONValue) -> [[UInt8]] {
        switch value {
        case .null: return [Array(null.utf8)]
        case .bool(let value): return [Array(word(value).utf8)]
        case .integer(let integer): return [Array(String(integer).utf8)]
        case .number, .decimal:
            let text = Array(value.text().utf8)
            // A whole number is an integer to JSON Schema, and is written as one; bounded numbers have no exponent.
            guard let decimal = Decimal(value), decimal.integer.count <= 30, decimal.fraction.count <= 30 else {
                return [text]
            }
            return decimal.bytes == text ? [text] : [decimal.bytes, text]
        case .string(let text):
            let quote = UInt8(ascii: "\"")
            return [[quote] + TextEncoding.json.bytes(of: text) + [quote]]
        case .array, .object: return []
        }
    }
}
