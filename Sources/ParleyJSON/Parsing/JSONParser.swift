// SPDX-License-Identifier: Apache-2.0

/// A recursive-descent parser over UTF-8 bytes.
struct JSONParser {
    let bytes: [UInt8]
    let limits: JSONLimits
    var position = 0
    private var depth = 0

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
            throw fault("There is more after the end of the value; remove it.")
        }
        return value
    }

    /// The byte at the position, or 0 at the end: no valid document contains a bare 0.
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private mutating func parseValue() throws(JSONError) -> JSONValue {
        skipWhitespace()
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
            members[name] = try parseValue()
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

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    /// An error at the position, or at another one.
    func fault(_ message: String, _ code: JSONError.Code = .invalidSyntax, at place: Int? = nil) -> JSONError {
        let before = bytes[..<min(place ?? position, bytes.count)]
        let newline = UInt8(ascii: "\n")
        let line = before.reduce(into: 1) { count, byte in if byte == newline { count += 1 } }
        let column = before.count - (before.lastIndex(of: newline).map { $0 + 1 } ?? 0) + 1
        return JSONError(code, message, line: line, column: column)
    }
}
