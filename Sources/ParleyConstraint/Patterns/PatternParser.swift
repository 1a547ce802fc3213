// SPDX-License-Identifier: Apache-2.0

/// Parses the subset of ECMA-262 regular expressions that describes regular languages.
///
/// Supported are groups (named and unnamed), alternation, quantifiers (lazy ones match the same texts as greedy ones),
/// classes, anchors and escapes. Look-around, back-references, word boundaries, flags and Unicode properties are
/// errors.
struct PatternParser {
    private let scalars: [UInt32]
    private var position = 0
    private var depth = 0
    private let depthLimit: Int

    /// The maximum length of a pattern in bytes.
    static let lengthLimit = 16_384

    init(_ text: String, depthLimit: Int = 96) {
        scalars = text.unicodeScalars.map(\.value)
        self.depthLimit = depthLimit
    }

    static func parse(_ text: String, depthLimit: Int = 96) throws(ConstraintError) -> Pattern {
        guard text.utf8.count <= lengthLimit else {
            throw ConstraintError(.tooLarge, "The pattern is longer than 16,384 bytes; shorten it.")
        }
        var parser = PatternParser(text, depthLimit: depthLimit)
        let pattern = try parser.parseChoice()
        guard parser.current == nil else { throw parser.fault("The pattern has an unmatched ')'.") }
        return pattern
    }

    // MARK: Characters

    private var current: UInt32? { position < scalars.count ? scalars[position] : nil }

    private func peek(_ offset: Int) -> UInt32? { position + offset < scalars.count ? scalars[position + offset] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == character.value else { return false }
        position += 1
        return true
    }

    private mutating func next() throws(ConstraintError) -> UInt32 {
        guard let character = current else { throw fault("The pattern ends too early.") }
        position += 1
        return character
    }

    private func fault(_ message: String) -> ConstraintError {
        ConstraintError(.invalidSchema, "\(message) (At character \(position + 1) of the pattern.)")
    }

    private func refusal(_ what: String) -> ConstraintError {
        ConstraintError(
            .unsupported,
            "\(what) are not supported in patterns; rewrite the pattern. "
                + "(At character \(position + 1) of the pattern.)")
    }

    // MARK: Grammar

    private mutating func parseChoice() throws(ConstraintError) -> Pattern {
        var alternatives = [try parseSequence()]
        while take("|") { alternatives.append(try parseSequence()) }
        return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
    }

    private mutating func parseSequence() throws(ConstraintError) -> Pattern {
        var parts: [Pattern] = []
        while let character = current, character != "|", character != ")" { parts.append(try parseTerm()) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func parseTerm() throws(ConstraintError) -> Pattern {
        if take("^") { return .start }
        if take("$") { return .end }
        let atom = try parseAtom()
        guard let (min, max) = try parseQuantifier() else { return atom }
        _ = take("?")
        if try parseQuantifier() != nil { throw fault("A quantifier follows a quantifier.") }
        return .repetition(atom, min: min, max: max)
    }

    private mutating func parseAtom() throws(ConstraintError) -> Pattern {
        let character = try next()
        switch character {
        case ".": return .set(CodePointSet.lineTerminators.inverted)
        case "[": return .set(try parseClass())
        case "(": return try parseGroup()
        case "\\": return .set(try parseEscape())
        case "*", "+", "?": throw fault("A quantifier has nothing to repeat.")
        default: return .set(CodePointSet(character))
        }
    }

    private mutating func parseGroup() throws(ConstraintError) -> Pattern {
        guard depth < depthLimit else { throw ConstraintError(.tooLarge, "The pattern's groups nest too deep.") }
        if take("?") {
            switch try next() {
            case ":": break
            case "<":
                guard current != "=", current != "!" else { throw refusal("Look-behinds") }
                while try next() != ">" {}
            case "=", "!": throw refusal("Look-aheads")
            default: throw refusal("Inline flags")
            }
        }
        depth += 1
        let inner = try parseChoice()
        depth -= 1
        guard take(")") else { throw fault("A group is not closed.") }
        return inner
    }

    private mutating func parseQuantifier() throws(ConstraintError) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        // A brace that does not begin a quantifier is an ordinary character, as in browsers.
        let start = position
        guard take("{"), let min = takeNumber() else {
            position = start
            return nil
        }
        var max: Int? = min
        if take(",") { max = takeNumber() }
        guard take("}") else {
            position = start
            return nil
        }
        if let max, max < min { throw fault("A quantifier's maximum is below its minimum.") }
        return (min, max)
    }

    /// Reads a decimal number, clamped below a billion.
    private mutating func takeNumber() -> Int? {
        var value: Int?
        while let digit = current, (0x30...0x39).contains(digit) {
            value = min((value ?? 0) * 10 + Int(digit - 0x30), 1_000_000_000)
            position += 1
        }
        return value
    }
}

/// Lets code points be matched with the characters of a pattern's grammar.
func ~= (pattern: Unicode.Scalar, value: UInt32) -> Bool { pattern.value == value }
func == (value: UInt32?, scalar: Unicode.Scalar) -> Bool { value == scalar.value }
func != (value: UInt32?, scalar: Unicode.Scalar) -> Bool { value != scalar.value }

extension PatternParser {
    /// Parses a class; the position is after its opening bracket.
    private mutating func parseClass() throws(ConstraintError) -> CodePointSet {
        let isInverted = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        while !take("]") {
            let (low, lowScalar) = try parseClassMember()
            guard current == "-", peek(1) != nil, peek(1) != "]" else {
                ranges += low.ranges
                continue
            }
            position += 1
            let (high, highScalar) = try parseClassMember()
            if let lowScalar, let highScalar {
                guard lowScalar <= highScalar else {
                    throw fault("A range in a class has its bounds in reverse order.")
                }
                ranges.append(lowScalar...highScalar)
            } else {
                // A class such as \d cannot be the bound of a range; the hyphen is then an ordinary character.
                ranges += low.ranges + high.ranges + [0x2D...0x2D]
            }
        }
        let set = CodePointSet(ranges).intersection(.all)
        return isInverted ? set.inverted : set
    }

    /// Parses one member of a class, with its scalar where it is a single one.
    private mutating func parseClassMember() throws(ConstraintError) -> (CodePointSet, UInt32?) {
        let character = try next()
        guard character == "\\" else { return (CodePointSet(character), character) }
        if take("b") { return (CodePointSet(0x08), 0x08) }
        if take("-") { return (CodePointSet(0x2D), 0x2D) }
        let set = try parseEscape()
        let single = set.ranges.count == 1 && set.ranges[0].count == 1 ? set.ranges[0].lowerBound : nil
        return (set, single)
    }

    /// Parses an escape; the position is after its backslash.
    private mutating func parseEscape() throws(ConstraintError) -> CodePointSet {
        let character = try next()
        switch character {
        case "d": return .digits
        case "D": return CodePointSet.digits.inverted
        case "w": return .wordCharacters
        case "W": return CodePointSet.wordCharacters.inverted
        case "s": return .whitespace
        case "S": return CodePointSet.whitespace.inverted
        case "t": return CodePointSet(0x09)
        case "n": return CodePointSet(0x0A)
        case "v": return CodePointSet(0x0B)
        case "f": return CodePointSet(0x0C)
        case "r": return CodePointSet(0x0D)
        case "0":
            guard let digit = current, (0x30...0x39).contains(digit) else { return CodePointSet(0) }
            throw refusal("Octal escapes")
        case "c":
            let letter = try next()
            guard (0x41...0x5A).contains(letter & ~0x20) else { throw fault("A letter must follow \\c.") }
            return CodePointSet(letter % 32)
        case "x": return CodePointSet(try parseHex(digits: 2))
        case "u": return CodePointSet(try parseUnicodeEscape())
        case "b", "B": throw refusal("Word boundaries")
        case "p", "P": throw refusal("Unicode properties")
        case "k": throw refusal("Back-references")
        default:
            if (0x31...0x39).contains(character) { throw refusal("Back-references") }
            let isLetter = (0x41...0x5A).contains(character & ~0x20)
            if isLetter { throw fault("This escape does not exist.") }
            return CodePointSet(character)
        }
    }

    private mutating func parseUnicodeEscape() throws(ConstraintError) -> UInt32 {
        if take("{") {
            var value: UInt32 = 0
            var count = 0
            while let digit = current, digit != "}" {
                value = value << 4 | (try parseHex(digits: 1))
                count += 1
                guard count <= 6 else { throw fault("The code point is too large.") }
            }
            guard take("}"), count > 0, Unicode.Scalar(value) != nil else {
                throw fault("This is not a Unicode scalar value.")
            }
            return value
        }
        let unit = try parseHex(digits: 4)
        guard (0xD800...0xDFFF).contains(unit) else { return unit }
        guard unit < 0xDC00, take("\\"), take("u") else { throw fault("Half of a surrogate pair is not a character.") }
        let trail = try parseHex(digits: 4)
        guard (0xDC00...0xDFFF).contains(trail) else { throw fault("Half of a surrogate pair is not a character.") }
        return 0x10000 + ((unit - 0xD800) << 10) + (trail - 0xDC00)
    }

    private mutating func parseHex(digits: Int) throws(ConstraintError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            let character = try next()
            guard let scalar = Unicode.Scalar(character), let digit = Character(scalar).hexDigitValue else {
                throw fault("A hexadecimal digit is expected.")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
