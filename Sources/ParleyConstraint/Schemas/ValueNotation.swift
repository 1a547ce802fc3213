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
    /// The arguments of a call between tags: `<parameter=a>`, on the next lines the value, and `</parameter>`. Their
    /// values are written as ``taggedValue``.
    case taggedArguments
    /// A value and the tag that ends it, where only strings are allowed: the string as it is.
    case taggedValue
    /// The same where values of other kinds are allowed as well: in JSON, and strings that cannot be mistaken for JSON
    /// also as they are.
    case mixedTaggedValue
    /// JSON with bare names, and with the mark `<|"|>` around strings, which are written as they are.
    case marked

    /// The notation inside arrays and objects.
    var nested: ValueNotation {
        switch self {
        case .json, .taggedValue, .mixedTaggedValue: .json
        case .python, .keywordArguments, .unpackedArguments: .python
        case .taggedArguments: .taggedValue
        case .marked: .marked
        }
    }

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

    private var isPython: Bool {
        switch self {
        case .python, .keywordArguments, .unpackedArguments: true
        default: false
        }
    }

    var null: String { isPython ? "None" : "null" }

    func word(_ value: Bool) -> String {
        if isPython { return value ? "True" : "False" }
        return value ? "true" : "false"
    }

    var brackets: (open: String, close: String) {
        switch self {
        case .keywordArguments: ("(", ")")
        case .unpackedArguments: ("(**{", "})")
        default: ("{", "}")
        }
    }

    /// What ends a value, in all spellings; empty if nothing does.
    var ends: [[UInt8]] {
        switch self {
        case .taggedValue, .mixedTaggedValue: [Array("\n</parameter>".utf8)]
        default: []
        }
    }

    /// The mark around strings in ``marked``, in all spellings.
    static let marks = [Array("<|\"|>".utf8), ControlSpelling.bytes(of: "<|\"|>")]

    /// The pattern of the strings that cannot be written as they are; nil if there are none but those with a mark.
    var unwritable: String? {
        switch self {
        case .taggedValue: Self.holdingTags
        case .mixedTaggedValue: "(?:\(Self.holdingTags)|\(Self.jsonBeginning))"
        default: nil
        }
    }

    /// Strings in which an argument seems to end.
    private static let holdingTags = "[\\s\\S]*</parameter>[\\t\\n\\r ]*(?:<parameter=|</function>)[\\s\\S]*"
    /// Strings that could be mistaken for JSON.
    private static let jsonBeginning = "(?:[\\s\"\\[{\\-0-9]|\(jsonWords.joined(separator: "|")))[\\s\\S]*"
    private static let jsonWords = ["true", "True", "false", "False", "null", "None"]

    private static func mayBeJSON(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return first.properties.isWhitespace || "\"[{-0123456789".unicodeScalars.contains(first)
            || jsonWords.contains { text.utf8.starts(with: $0.utf8) }
    }

    /// The spellings of a property's name with its separator; none if the name cannot be written.
    func spellings(ofName name: String) -> [[UInt8]] {
        let bytes = TextEncoding.json.bytes(of: name)
        switch self {
        case .keywordArguments: return [bytes + [UInt8(ascii: "=")]]
        case .taggedArguments:
            let canWrite = !name.isEmpty && !name.utf8.contains { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "\n") }
            return canWrite ? [Array("<parameter=\(name)>\n".utf8)] : []
        case .marked where Self.isKeyword(name): return [bytes + [UInt8(ascii: ":")]]
        default:
            let quote = UInt8(ascii: "\"")
            let spelled = [quote] + bytes + [quote, UInt8(ascii: ":")]
            return [spelled, spelled + [UInt8(ascii: " ")]]
        }
    }

    /// The spellings of a scalar value, with what ends it; none for arrays and objects, and for a string that cannot be
    /// written.
    func spellings(ofScalar value: JSONValue) -> [[UInt8]] {
        let texts = bareSpellings(ofScalar: value)
        return ends.isEmpty ? texts : ends.flatMap { end in texts.map { $0 + end } }
    }

    private func bareSpellings(ofScalar value: JSONValue) -> [[UInt8]] {
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
        case .string(let text): return spellings(ofString: text)
        case .array, .object: return []
        }
    }

    private func spellings(ofString text: String) -> [[UInt8]] {
        let quote = UInt8(ascii: "\"")
        let quoted = [quote] + TextEncoding.json.bytes(of: text) + [quote]
        let bytes = Array(text.utf8)
        let end = self == .marked ? Self.marks[0] : Array("</parameter>".utf8)
        let holdsEnd = bytes.contains(end)
        switch self {
        case .taggedValue: return holdsEnd ? [] : [bytes]
        case .mixedTaggedValue: return holdsEnd || Self.mayBeJSON(text) ? [quoted] : [quoted, bytes]
        case .marked: return holdsEnd ? [] : Self.marks.flatMap { open in Self.marks.map { open + bytes + $0 } }
        default: return [quoted]
        }
    }
}
