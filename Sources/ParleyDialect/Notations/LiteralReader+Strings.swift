// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension LiteralReader {
    /// A string in quotes of either kind, or in three of them, at whose opening quote the reader stands.
    mutating func string() throws(FunctionCallSyntaxError) -> String {
        let quote = current
        let isTriple = byte(at: position + 1) == quote && byte(at: position + 2) == quote
        position += isTriple ? 3 : 1
        var content: [UInt8] = []
        while position < bytes.count {
            let next = bytes[position]
            if next == quote, !isTriple || isTripled(quote) {
                position += isTriple ? 3 : 1
                return String(decoding: content, as: UTF8.self)
            }
            position += 1
            guard next == UInt8(ascii: "\\") else {
                content.append(next)
                continue
            }
            if endsStringsAfterBackslash, !isTriple, current == quote, continuesAfterString(position + 1) {
                content.append(next)
            } else {
                escape(into: &content)
            }
        }
        throw FunctionCallSyntaxError(.cut, "It ends inside a string.", endsInsideString: true)
    }

    /// A string between two marks, `<|"|>`, in which nothing is escaped.
    mutating func markedString() throws(FunctionCallSyntaxError) -> String {
        guard take(tag: "<|\"|>") else { throw failure("A value is expected.") }
        if let text = text(upTo: "<|\"|>") { return text }
        throw FunctionCallSyntaxError(.cut, "It ends inside a string.", endsInsideString: true)
    }

    private func isTripled(_ quote: UInt8) -> Bool {
        byte(at: position + 1) == quote && byte(at: position + 2) == quote
    }

    /// Whether the text from an index on is what may stand behind a string: a closing bracket, the end, or a comma and
    /// another argument.
    private func continuesAfterString(_ index: Int) -> Bool {
        var next = afterWhitespace(index)
        switch byte(at: next) {
        case 0: return next >= bytes.count
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): return true
        case UInt8(ascii: ","):
            next = afterWhitespace(next + 1)
            if byte(at: next) == UInt8(ascii: "\"") || byte(at: next) == UInt8(ascii: "'") { return true }
            var ahead = self
            ahead.position = next
            guard !ahead.name().isEmpty else { return false }
            return ahead.take("=") || ahead.take(":")
        default: return false
        }
    }

    /// What a backslash and the following bytes mean. Where they mean nothing they stay as they are, as in Python.
    private mutating func escape(into content: inout [UInt8]) {
        guard position < bytes.count else { return }
        let kind = bytes[position]
        position += 1
        switch kind {
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(kind)
        case 0x0A: break  // a line that goes on
        case UInt8(ascii: "x"): append(codePoint(digits: 2), after: kind, to: &content)
        case UInt8(ascii: "u"): append(pairedCodePoint(), after: kind, to: &content)
        case UInt8(ascii: "U"): append(codePoint(digits: 8), after: kind, to: &content)
        default: content += [UInt8(ascii: "\\"), kind]
        }
    }

    private func append(_ codePoint: UInt32?, after kind: UInt8, to content: inout [UInt8]) {
        guard let codePoint else {
            content += [UInt8(ascii: "\\"), kind]
            return
        }
        content += String(Unicode.Scalar(codePoint) ?? "\u{FFFD}").utf8
    }

    /// That many hexadecimal digits; nil, and no move, where they are not there.
    private mutating func codePoint(digits: Int) -> UInt32? {
        guard position + digits <= bytes.count else { return nil }
        let text = bytes[position..<position + digits]
        guard text.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        position += digits
        return UInt32(String(decoding: text, as: UTF8.self), radix: 16)
    }

    /// A code point in four digits, or in two surrogates of four.
    private mutating func pairedCodePoint() -> UInt32? {
        guard let high = codePoint(digits: 4) else { return nil }
        guard (0xD800..<0xDC00).contains(high), current == UInt8(ascii: "\\"),
            byte(at: position + 1) == UInt8(ascii: "u")
        else { return high }
        let start = position
        position += 2
        guard let low = codePoint(digits: 4), (0xDC00..<0xE000).contains(low) else {
            position = start
            return high
        }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }
}
