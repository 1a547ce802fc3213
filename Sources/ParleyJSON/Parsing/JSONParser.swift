// SPDX-License-Identifier: Apache-2.0

/// A recursive-descent parser over UTF-8 bytes.
struct JSONParser {
    let bytes: [UInt8]
    let limits: JSONLimits
    private var position = 0
    private var depth = 0
    private var values = 0

    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func parseDocument() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else {
            throw JSONError(.tooLarge, "The document has \(bytes.count) bytes; at most \(limits.bytes) are allowed.")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let value = try parseValue()
        skipWhitespace()
        guard position == bytes.count else {
            throw fault("There is more text after the end of the value; remove it.")
        }
        return value
    }

    /// Parses a text that is a number and nothing else; nil for any other text.
    static func number(_ text: String) -> JSONValue? {
        var parser = JSONParser(bytes: Array(text.utf8), limits: .standard)
        guard parser.current == UInt8(ascii: "-") || parser.isDigit(parser.current),
            let value = try? parser.parseNumber(), parser.position == parser.bytes.count
        else { return nil }
        return value
    }

    /// The byte at the position, or 0 at the end: no valid document contains a bare 0.
    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private mutating func parseValue() throws(JSONError) -> JSONValue {
        skipWhitespace()
        values += 1
        guard values <= limits.values else {
            throw fault("The document has more than \(limits.values) values.", .tooLarge)
        }
        switch current {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.parseObject() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.parseArray() }
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default:
            throw fault(
                position < bytes.count
                    ? "A value is expected here." : "The document ends where a value is expected; it may be cut off.")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < limits.depth else {
            throw fault("Arrays and objects are nested deeper than \(limits.depth) levels.", .tooDeep)
        }
        depth += 1
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func parseArray() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try parseValue())
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw fault("A comma or a closing bracket is expected here.") }
        }
    }

    private mutating func parseObject() throws(JSONError) -> JSONValue {
        var members = JSONObject()
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipWhitespace()
            guard current == UInt8(ascii: "\"") else { throw fault("A member's name in quotes is expected here.") }
            let name = try parseString()
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw fault("A colon is expected here.") }
            let isRepeated = members.updateValue(try parseValue(), forKey: name) != nil
            guard !isRepeated || !limits.requiresDistinctNames else {
                throw fault("Two members of an object have the same name.", .repeatedName)
            }
            skipWhitespace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw fault("A comma or a closing brace is expected here.") }
        }
    }

    private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes[position...].prefix(count).elementsEqual($0) }
        guard matches else { throw fault("A value is expected here.") }
        position += count
        return value
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    /// An error at the position, or at another one.
    private func fault(_ message: String, _ code: JSONError.Code = .invalidSyntax, at place: Int? = nil) -> JSONError {
        let before = bytes[..<min(place ?? position, bytes.count)]
        let newline = UInt8(ascii: "\n")
        let line = before.reduce(into: 1) { count, byte in if byte == newline { count += 1 } }
        let column = before.count - (before.lastIndex(of: newline).map { $0 + 1 } ?? 0) + 1
        return JSONError(code, message, line: line, column: column)
    }
}

extension JSONParser {
    /// Parses a string; the position is at its opening quote.
    private mutating func parseString() throws(JSONError) -> String {
        let start = position
        let text = try parseText()
        guard limits.marks == .max || !MarkRuns.isLonger(than: limits.marks, in: text) else {
            throw fault("The string has more than \(limits.marks) combining marks in a row.", .invalidText, at: start)
        }
        return text
    }

    /// The text of a string, whatever it is.
    private mutating func parseText() throws(JSONError) -> String {
        position += 1
        let plain = try takePlainRun()
        if take(UInt8(ascii: "\"")) { return plain }
        var text = plain
        while true {
            switch current {
            case UInt8(ascii: "\\"):
                position += 1
                text.unicodeScalars.append(try parseEscape())
            case UInt8(ascii: "\""):
                position += 1
                return text
            default:
                text += try takePlainRun()
            }
        }
    }

    /// The characters up to a quote or a backslash; throws at a control character or the end of the document.
    private mutating func takePlainRun() throws(JSONError) -> String {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            position += 1
        }
        guard position < bytes.count else { throw fault("The document ends inside a string; it may be cut off.") }
        guard bytes[position] >= 0x20 else { throw fault("A control character in a string must be escaped.") }
        guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
            throw fault("The string is not valid UTF-8.", .invalidText, at: start)
        }
        return text
    }

    private mutating func parseEscape() throws(JSONError) -> Unicode.Scalar {
        let escape = current
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escape)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape()
        default: throw fault("This escape does not exist in JSON.", at: position - 2)
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position - 2
        let unit = try parseHexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw loneSurrogate(at: start)
        }
        let trail = try parseHexUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw loneSurrogate(at: start) }
        let value = 0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(trail - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate(at: start) }
        return scalar
    }

    private func loneSurrogate(at place: Int) -> JSONError {
        fault("The escape stands for half of a surrogate pair, which is not a character.", .invalidText, at: place)
    }

    private mutating func parseHexUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw fault("Four hexadecimal digits are expected here.")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

extension JSONParser {
    /// Parses a number; the position is at its sign or first digit.
    private mutating func parseNumber() throws(JSONError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            guard !isDigit(current) else { throw fault("A number may not begin with a superfluous zero.") }
        } else {
            try takeDigits()
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try takeDigits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try takeDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            throw fault("The number is beyond the range of a double.", .numberOutOfRange, at: start)
        }
        guard !isInteger else { return .decimal(JSONDecimal(text, nearest: value)) }
        // Any double that is not very small represents fifteen digits exactly.
        let isPlain = position - start <= 16 && value.magnitude > 1e-290
        guard isPlain || DecimalDigits(text) == DecimalDigits(value.description) else {
            return .decimal(JSONDecimal(text, nearest: value))
        }
        return .number(value)
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private mutating func takeDigits() throws(JSONError) {
        guard isDigit(current) else { throw fault("A digit is expected here.") }
        while isDigit(current) { position += 1 }
    }
}
