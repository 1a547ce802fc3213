// SPDX-License-Identifier: Apache-2.0

extension Lexer {
    /// Reads a string in quotes; its escapes are Python's.
    mutating func readString(quote: Unicode.Scalar) throws(TemplateError) {
        let first = line
        var text = String.UnicodeScalarView()
        advance()
        while position < source.count {
            let scalar = source[position]
            advance()
            if scalar == quote {
                tokens.append(Token(kind: .string(String(text)), line: first))
                return
            }
            if scalar == "\\" {
                try readEscape(into: &text)
            } else {
                text.append(scalar)
            }
        }
        throw TemplateError(.invalidSyntax, "A string is not closed.", line: first)
    }

    private mutating func readEscape(into text: inout String.UnicodeScalarView) throws(TemplateError) {
        guard position < source.count else { return }
        let escape = source[position]
        advance()
        switch escape {
        case "\n": break
        case "\\", "'", "\"": text.append(escape)
        case "a": text.append("\u{7}")
        case "b": text.append("\u{8}")
        case "f": text.append("\u{C}")
        case "n": text.append("\n")
        case "r": text.append("\r")
        case "t": text.append("\t")
        case "v": text.append("\u{B}")
        case "0"..."7":
            position -= 1
            text.append(try scalar(digits: 1...3, radix: 8))
        case "x": text.append(try scalar(digits: 2...2, radix: 16))
        case "u": text.append(try readUTF16Escape())
        case "U": text.append(try scalar(digits: 8...8, radix: 16))
        case "N":
            throw TemplateError(.unsupported, "Characters cannot be given by name; use \\u instead.", line: line)
        default:
            text.append("\\")
            text.append(escape)
        }
    }

    /// Reads a code point of four digits. Surrogates, which Python's strings can hold but not print, are errors.
    private mutating func readUTF16Escape() throws(TemplateError) -> Unicode.Scalar {
        let unit = try number(digits: 4...4, radix: 16)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        throw TemplateError(.invalidSyntax, "An escape names half a surrogate pair; use \\U instead.", line: line)
    }

    private mutating func scalar(digits: ClosedRange<Int>, radix: Int) throws(TemplateError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(try number(digits: digits, radix: radix)) else {
            throw TemplateError(.invalidSyntax, "An escape names no character.", line: line)
        }
        return scalar
    }

    private mutating func number(digits: ClosedRange<Int>, radix: Int) throws(TemplateError) -> UInt32 {
        var value: UInt32 = 0
        var count = 0
        while count < digits.upperBound, position < source.count,
            let digit = Character(source[position]).hexDigitValue, digit < radix, source[position].isASCII
        {
            value = value &* UInt32(radix) &+ UInt32(digit)
            count += 1
            position += 1
        }
        guard count >= digits.lowerBound else {
            throw TemplateError(.invalidSyntax, "An escape has too few digits.", line: line)
        }
        return value
    }
}
