// SPDX-License-Identifier: Apache-2.0

extension PatternParser {
    /// Parses a class; the position is after its opening bracket.
    mutating func parseClass() throws(ConstraintError) -> CodePointSet {
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
                guard lowScalar <= highScalar else { throw fault("A range in a class runs backwards.") }
                ranges.append(lowScalar...highScalar)
            } else {
                // A class such as \d bounds no range; the hyphen then stands for itself.
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
    mutating func parseEscape() throws(ConstraintError) -> CodePointSet {
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
            guard take("}"), count > 0, Unicode.Scalar(value) != nil else { throw fault("This is no code point.") }
            return value
        }
        let unit = try parseHex(digits: 4)
        guard (0xD800...0xDFFF).contains(unit) else { return unit }
        guard unit < 0xDC00, take("\\"), take("u") else { throw fault("Half a surrogate pair is no character.") }
        let trail = try parseHex(digits: 4)
        guard (0xDC00...0xDFFF).contains(trail) else { throw fault("Half a surrogate pair is no character.") }
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
