// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON

/// Parses values in Python's or JSON's notation, and in the mixtures of both that models write.
///
/// In addition to both grammars it accepts raw line breaks in strings, single and triple quotes, trailing commas, names
/// as keys, and strings between the marks `<|"|>` of Gemma. It parses one value and ignores what follows.
struct LiteralReader {
    /// The maximum depth of nesting, which bounds the use of the stack; it is more than constraints allow a model to
    /// write.
    static let maximumDepth = 128

    let bytes: [UInt8]
    /// Whether a quote after a backslash may end the string, if the text then continues as after a string.
    ///
    /// A model that writes `"C:\dir\"` means a backslash and the end of the string, but Python's rules make it an
    /// escaped quote. This interpretation is tried only if the other one has failed.
    let endsStringsAfterBackslash: Bool
    var position = 0
    private var depth = 0

    /// The maximum number of calls in one text. More are surely unintended, and each causes work in the app.
    private static let maximumCalls = 128

    /// Parses a text; if that fails, parses it again with the other interpretation of a backslash before a quote.
    ///
    /// - Throws: the error of the first attempt.
    static func reading<Result>(
        _ text: String, _ body: (inout LiteralReader) throws(FunctionCallSyntaxError) -> Result
    ) throws(FunctionCallSyntaxError) -> Result {
        do throws(FunctionCallSyntaxError) {
            var reader = LiteralReader(text)
            return try body(&reader)
        } catch {
            var reader = LiteralReader(text, endsStringsAfterBackslash: true)
            guard let result = try? body(&reader) else { throw error }
            return result
        }
    }

    /// Throws if the maximum number of calls is reached.
    static func checkCount(_ count: Int) throws(FunctionCallSyntaxError) {
        guard count < maximumCalls else {
            throw FunctionCallSyntaxError(.tooMany, "There are more than \(maximumCalls) calls in one place.")
        }
    }

    private init(_ text: String, endsStringsAfterBackslash: Bool = false) {
        bytes = Array(text.utf8)
        self.endsStringsAfterBackslash = endsStringsAfterBackslash
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// The byte at the position, or 0 at the end: outside of strings no valid text contains a bare 0.
    var current: UInt8 { byte(at: position) }

    func byte(at index: Int) -> UInt8 {
        index < bytes.count ? bytes[index] : 0
    }

    func failure(_ message: String) -> FunctionCallSyntaxError {
        isAtEnd
            ? FunctionCallSyntaxError(.cut, "It ends before it is complete.")
            : FunctionCallSyntaxError(.malformed, "At byte \(position): \(message)")
    }

    /// The error where one of some tags has to follow: the text is cut where it ends before or inside it.
    func failure(_ message: String, expecting tags: [StaticString]) -> FunctionCallSyntaxError {
        let rest = bytes[min(afterWhitespace(position), bytes.count)...]
        let isCut = tags.contains { tag in tag.withUTF8Buffer { $0.starts(with: rest) } }
        return isCut ? FunctionCallSyntaxError(.cut, "It ends before it is complete.") : failure(message)
    }

    /// The position after any white space that starts at `index`.
    func afterWhitespace(_ index: Int) -> Int {
        var index = index
        while true {
            switch byte(at: index) {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
            default: return index
            }
        }
    }

    mutating func skipWhitespace() {
        position = afterWhitespace(position)
    }

    /// Skips a byte, and white space before it; returns false if it is not there.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        let next = afterWhitespace(position)
        guard next < bytes.count, bytes[next] == UInt8(ascii: character) else { return false }
        position = next + 1
        return true
    }

    /// Skips a tag, and white space before it; returns false if it is not there.
    mutating func take(tag: StaticString) -> Bool {
        let next = afterWhitespace(position)
        let isThere = tag.withUTF8Buffer { next <= bytes.count && bytes[next...].starts(with: $0) }
        if isThere { position = next + tag.utf8CodeUnitCount }
        return isThere
    }

    /// The text up to a tag, after which the reader then stands; nil, and no move, if the tag does not follow.
    mutating func text(upTo tag: StaticString) -> String? {
        tag.withUTF8Buffer { tag in
            var end = position
            while end + tag.count <= bytes.count {
                if bytes[end] == tag[0], bytes[end..<(end + tag.count)].elementsEqual(tag) {
                    defer { position = end + tag.count }
                    return String(decoding: bytes[position..<end], as: UTF8.self)
                }
                end += 1
            }
            return nil
        }
    }

    mutating func value() throws(FunctionCallSyntaxError) -> JSONValue {
        skipWhitespace()
        switch current {
        case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "{"): return try nested()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            return try number()
        case UInt8(ascii: "<"): return .string(try markedString())
        default: return try word()
        }
    }

    private mutating func nested() throws(FunctionCallSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else {
            throw FunctionCallSyntaxError(.tooDeep, "The arguments are nested deeper than \(Self.maximumDepth) levels.")
        }
        let opening = current
        depth += 1
        defer { depth -= 1 }
        position += 1
        switch opening {
        case UInt8(ascii: "["): return try list("]").value
        case UInt8(ascii: "("): return try tuple()
        default: return try map()
        }
    }

    /// The elements up to the closing bracket, and whether a comma followed the last one.
    private mutating func list(
        _ closing: Unicode.Scalar
    ) throws(FunctionCallSyntaxError) -> (value: JSONValue, hasComma: Bool, count: Int) {
        var elements: [JSONValue] = []
        var hasComma = false
        while !take(closing) {
            guard elements.isEmpty || hasComma else { throw failure("A comma or a closing bracket is expected.") }
            elements.append(try value())
            hasComma = take(",")
        }
        return (.array(elements), hasComma, elements.count)
    }

    private mutating func tuple() throws(FunctionCallSyntaxError) -> JSONValue {
        let (value, hasComma, count) = try list(")")
        // Parentheses around a single value do not make a tuple.
        return count == 1 && !hasComma ? value[0] ?? value : value
    }

    private mutating func map() throws(FunctionCallSyntaxError) -> JSONValue {
        var members: JSONObject = [:]
        var needsComma = false
        while !take("}") {
            if needsComma, !take(",") { throw failure("A comma or a closing brace is expected.") }
            if take("}") { break }
            skipWhitespace()
            let key = try key()
            guard take(":") else { throw failure("A colon is expected.") }
            members[key] = try value()
            needsComma = true
        }
        return .object(members)
    }

    private mutating func key() throws(FunctionCallSyntaxError) -> String {
        if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") { return try string() }
        if current == UInt8(ascii: "<") { return try markedString() }
        let key = name()
        guard !key.isEmpty else { throw failure("A key is expected.") }
        return key
    }

    private mutating func word() throws(FunctionCallSyntaxError) -> JSONValue {
        let start = position
        switch name() {
        case "true", "True": return .bool(true)
        case "false", "False": return .bool(false)
        case "null", "None": return .null
        default:
            // A truncated word, such as `Tru`, counts as cut.
            if isAtEnd { throw failure("") }
            position = start
            throw failure("A value is expected.")
        }
    }

    /// A parameter's name: letters, digits and `_ . -`, beginning with a letter or `_`; empty if there is none.
    mutating func name() -> String {
        beginsName(current) ? plainName() : ""
    }

    /// A function's name, which may also begin with a digit or one of `. -`; empty where there is none.
    mutating func plainName() -> String {
        let start = position
        while position < bytes.count, beginsName(bytes[position]) || Self.continuesName(bytes[position]) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// A function's name, and white space before it.
    mutating func functionName() throws(FunctionCallSyntaxError) -> String {
        skipWhitespace()
        let name = plainName()
        guard name.isEmpty else { return name }
        if isAtEnd { throw failure("") }
        throw FunctionCallSyntaxError(.missingName, "At byte \(position): a function's name is expected.")
    }

    /// Whether all of a text is a parameter's name.
    static func isName(_ text: String) -> Bool {
        var reader = LiteralReader(text)
        return reader.name() == text && !text.isEmpty
    }

    /// Whether all of a text is a function's name.
    static func isPlainName(_ text: String) -> Bool {
        var reader = LiteralReader(text)
        return reader.plainName() == text && !text.isEmpty
    }

    private func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private static func continuesName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }

    private mutating func number() throws(FunctionCallSyntaxError) -> JSONValue {
        let start = position
        var text = ""
        while position < bytes.count {
            let byte = bytes[position]
            let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            guard isSign || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || isAlphanumeric(byte) else {
                break
            }
            // A sign is allowed only at the start and after an exponent.
            if isSign, position > start, bytes[position - 1] | 0x20 != UInt8(ascii: "e") { break }
            if byte != UInt8(ascii: "_") { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            position += 1
        }
        // At the end of the text a digit may be missing; a call is complete only with its closing bracket anyway.
        if let integer = Int(text) { return .integer(integer) }
        // JSON's numbers are parsed as JSON; Python has some further notations.
        if let number = try? JSONValue(parsing: text) { return number }
        guard text.contains(where: \.isNumber), !text.lowercased().contains(where: { "xpn".contains($0) }),
            let number = Double(text), number.isFinite
        else {
            if !isAtEnd { position = start }
            throw failure("A number is expected.")
        }
        return .number(number)
    }

    private func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
