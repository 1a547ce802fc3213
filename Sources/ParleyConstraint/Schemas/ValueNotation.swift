// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The notation in which values are written.
enum ValueNotation: Hashable, Sendable {
    case json
    /// Python's words for what JSON calls true, false and null.
    case python
    /// The arguments of a call in Python: `(a=1, b="x")`. Their values are written as ``python``.
    case keywordArguments
    /// The same where a parameter's name is no Python name: `(**{"user id": 1})`.
    case unpackedArguments

    /// The notation inside arrays and objects.
    var nested: ValueNotation { self == .json ? .json : .python }

    /// How an object with members of these names is written.
    func holding(_ names: [String]) -> ValueNotation {
        self == .keywordArguments && !names.allSatisfy(Self.isKeyword) ? .unpackedArguments : self
    }

    /// Whether a name can stand before the equals sign of an argument. Models write more names than Python knows:
    /// with dots, hyphens and letters of every script.
    static func isKeyword(_ name: String) -> Bool {
        guard let first = name.utf8.first, !isDigit(first), first != UInt8(ascii: "-"), first != UInt8(ascii: ".")
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "-"), 0x80...:
                true
            default: isDigit(byte)
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    var null: String { self == .json ? "null" : "None" }

    func word(_ value: Bool) -> String {
        let word = value ? "true" : "false"
        return self == .json ? word : value ? "True" : "False"
    }

    var brackets: (open: String, close: String) {
        switch self {
        case .json, .python: ("{", "}")
        case .keywordArguments: ("(", ")")
        case .unpackedArguments: ("(**{", "})")
        }
    }

    /// The spellings of a property's name with its separator; `name` is spelled as in a JSON string.
    func spellings(ofName name: [UInt8]) -> [[UInt8]] {
        if self == .keywordArguments { return [name + [UInt8(ascii: "=")]] }
        let quote = UInt8(ascii: "\"")
        let spelled = [quote] + name + [quote, UInt8(ascii: ":")]
        return [spelled, spelled + [UInt8(ascii: " ")]]
    }

    /// The spellings of a scalar value; none for arrays and objects.
    func spellings(ofScalar value: JSONValue) -> [[UInt8]] {
        switch value {
        case .null: return [Array(null.utf8)]
        case .bool(let value): return [Array(word(value).utf8)]
        case .integer(let integer): return [Array(String(integer).utf8)]
        case .number, .decimal:
            let text = Array(value.text().utf8)
            // A whole number is an integer to JSON Schema, and is written as one; bounded numbers have no exponent.
            guard let decimal = DecimalNumber(value), decimal.integer.count <= 30, decimal.fraction.count <= 30 else {
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
