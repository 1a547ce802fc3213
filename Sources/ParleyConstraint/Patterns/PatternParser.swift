// SPDX-License-Identifier: Apache-2.0

/// Reads the subset of ECMA-262 regular expressions that describes regular languages.
///
/// Groups, named and unnamed, alternation, quantifiers (greedy and lazy ones match the same texts), classes, anchors
/// and escapes. Look-around, back-references, word boundaries, flags and Unicode properties are refused.
struct PatternParser {
    private let scalars: [UInt32]
    var position = 0
    private var depth = 0
    private let depthLimit: Int

    init(_ text: String, depthLimit: Int = 96) {
        scalars = text.unicodeScalars.map(\.value)
        self.depthLimit = depthLimit
    }

    static func parse(_ text: String, depthLimit: Int = 96) throws(ConstraintError) -> Pattern {
        guard text.utf8.count <= 16_384 else {
            throw ConstraintError(.tooLarge, "The pattern is longer than 16,384 bytes; shorten it.")
        }
        var parser = PatternParser(text, depthLimit: depthLimit)
        let pattern = try parser.parseChoice()
        guard parser.current == nil else { throw parser.fault("An unmatched ')' stands in the pattern.") }
        return pattern
    }

    // MARK: Characters

    var current: UInt32? { position < scalars.count ? scalars[position] : nil }

    func peek(_ offset: Int) -> UInt32? { position + offset < scalars.count ? scalars[position + offset] : nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == character.value else { return false }
        position += 1
        return true
    }

    mutating func next() throws(ConstraintError) -> UInt32 {
        guard let character = current else { throw fault("The pattern ends too early.") }
        position += 1
        return character
    }

    func fault(_ message: String) -> ConstraintError {
        ConstraintError(.invalidSchema, "\(message) (At character \(position + 1) of the pattern.)")
    }

    func refusal(_ what: String) -> ConstraintError {
        ConstraintError(
            .unsupported,
            "\(what) are not supported in patterns; write the pattern without. "
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
        // A brace that begins no quantifier stands for itself, as browsers have it.
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
