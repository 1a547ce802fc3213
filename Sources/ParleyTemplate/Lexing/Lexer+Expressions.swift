// SPDX-License-Identifier: Apache-2.0

extension Lexer {
    /// Reads the tokens inside a tag, up to and with its end.
    mutating func readTokens(until end: Token.Kind) throws(TemplateError) {
        while position < source.count {
            if closings.isEmpty, takeEnd(end) { return }
            try checkCount()
            let scalar = source[position]
            if scalar.isPythonSpace {
                advance()
            } else if ("0"..."9").contains(scalar) {
                try readNumber()
            } else if scalar.isPythonWord {
                try readName()
            } else if scalar == "'" || scalar == "\"" {
                try readString(quote: scalar)
            } else {
                try readSymbol()
            }
        }
        // Left to the parser, which reports the end of the source with what it expected.
    }

    private mutating func takeEnd(_ end: Token.Kind) -> Bool {
        let start = line
        if end == .variableEnd {
            if take("-}}") { skipSpace() } else if take("}}") { noteLineStart() } else { return false }
        } else {
            if take("-%}") {
                skipSpace()
            } else if take("+%}") {
                noteLineStart()
            } else if take("%}") {
                skipLineBreak()
            } else {
                return false
            }
        }
        tokens.append(Token(kind: end, line: start))
        return true
    }

    private mutating func readName() throws(TemplateError) {
        let start = position
        while position < source.count, source[position].isPythonWord { position += 1 }
        let first = source[start].properties
        guard source[start] == "_" || first.isXIDStart else {
            throw TemplateError(.invalidSyntax, "A name may not begin like this.", line: line)
        }
        guard position - start <= Lexer.longestName / 4 else {
            throw TemplateError(.unsupported, "A name is longer than \(Lexer.longestName / 4) characters.", line: line)
        }
        tokens.append(Token(kind: .name(String(source[start..<position])), line: line))
    }

    private mutating func readSymbol() throws(TemplateError) {
        let two = String(source[position..<min(position + 2, source.count)])
        guard let symbol = Symbol(rawValue: two) ?? Symbol(rawValue: String(source[position])) else {
            throw TemplateError(.invalidSyntax, "This character has no meaning inside a tag.", line: line)
        }
        if let closing = symbol.closing {
            closings.append(closing)
        } else if symbol.isClosing, closings.popLast() != symbol {
            throw TemplateError(.invalidSyntax, "unexpected '\(symbol.rawValue)'", line: line)
        }
        position += symbol.rawValue.utf8.count
        tokens.append(Token(kind: .symbol(symbol), line: line))
    }

    // MARK: Numbers

    private mutating func readNumber() throws(TemplateError) {
        let start = position
        if let radix = prefixedRadix() {
            position += 2
            let digits = takeDigits { $0.properties.numericType != nil || $0.isASCII && $0.isPythonLetter }
            guard let value = Int(digits, radix: radix) else { throw invalidNumber }
            tokens.append(Token(kind: .integer(value), line: line))
            return
        }
        var text = takeDigits { ("0"..."9").contains($0) }
        let isAfterDot = start > 0 && source[start - 1] == "."
        if !isAfterDot, let float = takeFraction(after: text) {
            guard let value = Double(float) else { throw invalidNumber }
            tokens.append(Token(kind: .float(value), line: line))
            return
        }
        // Python has no numbers with leading zeros; the lexer then reads two numbers.
        if text.hasPrefix("0"), text.contains(where: { $0 != "0" }) {
            text = String(text.prefix { $0 == "0" })
            position = start + text.utf8.count
        }
        guard let value = Int(text) else { throw invalidNumber }
        tokens.append(Token(kind: .integer(value), line: line))
    }

    private var invalidNumber: TemplateError {
        TemplateError(.invalidSyntax, "This number is malformed or too large.", line: line)
    }

    private func prefixedRadix() -> Int? {
        guard source[position] == "0", position + 2 < source.count else { return nil }
        let digit = source[position + 2]
        switch source[position + 1] {
        case "b", "B": return digit == "0" || digit == "1" ? 2 : nil
        case "o", "O": return ("0"..."7").contains(digit) ? 8 : nil
        case "x", "X": return digit.properties.isASCIIHexDigit ? 16 : nil
        default: return nil
        }
    }

    /// Digits without the single underscores that may stand between them.
    private mutating func takeDigits(_ isDigit: (Unicode.Scalar) -> Bool) -> String {
        var digits = ""
        while position < source.count {
            if isDigit(source[position]) {
                digits.unicodeScalars.append(source[position])
            } else if source[position] != "_" || digits.isEmpty || !isNext(isDigit) {
                break
            }
            position += 1
        }
        return digits
    }

    private func isNext(_ isDigit: (Unicode.Scalar) -> Bool, offset: Int = 1) -> Bool {
        position + offset < source.count && isDigit(source[position + offset])
    }

    /// The number with its fraction, its exponent or both; nil if neither follows.
    private mutating func takeFraction(after whole: String) -> String? {
        let isDigit = { (scalar: Unicode.Scalar) in ("0"..."9").contains(scalar) }
        var text = whole
        var isFloat = false
        if position < source.count, source[position] == ".", isNext(isDigit) {
            position += 1
            text += "." + takeDigits(isDigit)
            isFloat = true
        }
        guard position < source.count, source[position] == "e" || source[position] == "E" else {
            return isFloat ? text : nil
        }
        let hasSign = isNext { $0 == "+" || $0 == "-" }
        guard isNext(isDigit, offset: hasSign ? 2 : 1) else { return isFloat ? text : nil }
        text += "e" + (hasSign ? String(source[position + 1]) : "")
        position += hasSign ? 2 : 1
        return text + takeDigits(isDigit)
    }
}
