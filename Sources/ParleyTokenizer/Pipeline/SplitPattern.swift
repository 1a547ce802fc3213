// SPDX-License-Identifier: Apache-2.0

/// A regular expression at which text is split, in the syntax of Oniguruma, which the `tokenizers` library uses.
///
/// Supported is what tokenizers need: alternatives, groups, sets, categories (`\p{L}`), quantifiers, and looking ahead.
/// Everything else is refused by its name.
package struct SplitPattern: Sendable, Hashable {
    /// The largest number of characters that an expression, or a text as a pattern, may have.
    package static let longest = 10_000

    /// The expression as it is written.
    package let source: String
    let expression: SplitExpression

    /// Reads an expression.
    ///
    /// - Throws: ``TokenizerError`` with code `unknownPreTokenizer`, which names what is not supported.
    package init(expression source: String) throws(TokenizerError) {
        var parser = SplitPatternParser(source)
        expression = try parser.parse()
        self.source = source
    }

    /// Makes a pattern of an expression that is built in.
    init(name: String, _ expression: SplitExpression) {
        source = name
        self.expression = expression
    }

    /// Makes a pattern that only a text itself matches.
    package init(text: String) {
        source = text
        expression = .sequence(text.unicodeScalars.map { .set(ScalarSet($0, ignoresCase: false)) })
    }

    /// The matches in a text, in order; none is empty.
    func matches(in text: ArraySlice<Unicode.Scalar>) -> [Range<Int>] {
        var matches: [Range<Int>] = []
        var place = text.startIndex
        // Tens of steps a character are usual.
        var steps = 100_000 + 2_000 * text.count
        while place < text.endIndex {
            if let end = expression.matchEnd(in: text, from: place, steps: &steps), end > place {
                matches.append(place..<end)
                place = end
            } else {
                place += 1
            }
        }
        return matches
    }
}

/// Reads the syntax of a ``SplitPattern``.
private struct SplitPatternParser {
    private let source: [Unicode.Scalar]
    private var place = 0
    private var ignoresCase = false
    private var depth = 0

    private static let deepest = 32
    /// The largest depth of the search for a match, which takes about a kilobyte of the stack for each part.
    private static let mostParts = 128
    /// The maximum number of times that a group may be repeated.
    private static let mostRepetitions = 16

    init(_ text: String) {
        source = Array(text.unicodeScalars.prefix(SplitPattern.longest + 1))
    }

    mutating func parse() throws(TokenizerError) -> SplitExpression {
        guard source.count <= SplitPattern.longest else { throw unsupported("its length") }
        let expression = try alternatives()
        guard place == source.count else { throw unsupported("a closing parenthesis") }
        guard expression.depth <= Self.mostParts else { throw unsupported("the number of parts") }
        return expression
    }

    private var current: Unicode.Scalar? { place < source.count ? source[place] : nil }

    private mutating func take(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard source[place...].starts(with: scalars) else { return false }
        place += scalars.count
        return true
    }

    private func unsupported(_ what: String) -> TokenizerError {
        let excerpt = String(reflecting: String(String.UnicodeScalarView(source.prefix(120))))
        return TokenizerError(
            .unknownPreTokenizer,
            "The tokenizer splits text by the expression \(excerpt), of which \(what) is not supported. Use a GGUF file of "
                + "this model.")
    }

    private mutating func alternatives() throws(TokenizerError) -> SplitExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw unsupported("the nesting") }
        var parts: [SplitExpression] = []
        repeat { parts.append(try sequence()) } while take("|")
        return parts.count == 1 ? parts[0] : .alternatives(parts)
    }

    private mutating func sequence() throws(TokenizerError) -> SplitExpression {
        var parts: [SplitExpression] = []
        while let next = current, next != "|", next != ")" {
            let atom = try atom()
            parts.append(try quantified(atom))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom() throws(TokenizerError) -> SplitExpression {
        if take("(?:") { return try group(.none) }
        if take("(?i:") { return try group(true) }
        if take("(?=") { return .ahead(try group(.none), isNegative: false) }
        if take("(?!") { return .ahead(try group(.none), isNegative: true) }
        for (text, isNegative) in [("(?<=", false), ("(?<!", true)] where take(text) {
            guard case .set(let set) = try group(.none) else {
                throw unsupported("looking behind at several characters")
            }
            return .behind(set, isNegative: isNegative)
        }
        if take("(?") { throw unsupported("a group with “?”") }
        if take("(") { return try group(.none) }
        if take("\\A") { return .textStart }
        if take("\\z") { return .textEnd }
        if take("[") { return .set(try set()) }
        if take(".") { return .set(ScalarSet([.range(0x0A...0x0A)], isInverted: true)) }
        guard let scalar = current, !"*+?{^$".unicodeScalars.contains(scalar) else {
            throw unsupported("“\(current.map(String.init) ?? "")” where it stands")
        }
        place += 1
        guard scalar == "\\" else { return .set(ScalarSet(scalar, ignoresCase: ignoresCase)) }
        return .set(ScalarSet([try escape()], ignoresCase: ignoresCase))
    }

    private mutating func group(_ caseRule: Bool?) throws(TokenizerError) -> SplitExpression {
        let outer = ignoresCase
        ignoresCase = caseRule ?? outer
        let inner = try alternatives()
        ignoresCase = outer
        guard take(")") else { throw unsupported("a group without end") }
        return inner
    }

    private mutating func quantified(_ atom: SplitExpression) throws(TokenizerError) -> SplitExpression {
        let counts: ClosedRange<Int>
        var isBraced = false
        if take("*") {
            counts = 0...Int.max
        } else if take("+") {
            counts = 1...Int.max
        } else if take("?") {
            counts = 0...1
        } else if take("{") {
            counts = try bounds()
            isBraced = true
        } else {
            return atom
        }
        var greed = SplitExpression.Greed.most
        if take("?") { greed = .fewest } else if take("+") { greed = .possessive }
        guard !isBraced || greed == .most, current.map({ !"*+?{".unicodeScalars.contains($0) }) ?? true else {
            throw unsupported("a quantifier after another")
        }
        switch atom {
        case .set(let set): return .runs(set, counts, greed)
        case .ahead, .behind, .textStart, .textEnd: throw unsupported("a repeated assertion")
        default:
            guard counts.upperBound <= Self.mostRepetitions, greed == .most else {
                throw unsupported("a group that is repeated without bound")
            }
            return .repeated(atom, counts)
        }
    }

    /// Reads `3}`, `1,3}` or `2,}`.
    private mutating func bounds() throws(TokenizerError) -> ClosedRange<Int> {
        guard let least = number() else { throw unsupported("“{”") }
        var most = least
        if take(",") { most = number() ?? Int.max }
        guard take("}"), least <= most else { throw unsupported("“{”") }
        return least...most
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let scalar = current, ("0"..."9").contains(scalar), digits.utf8.count < 6 {
            digits.unicodeScalars.append(scalar)
            place += 1
        }
        return Int(digits)
    }

    /// Reads the rest of `[…]`.
    private mutating func set() throws(TokenizerError) -> ScalarSet {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw unsupported("the nesting") }
        let isInverted = take("^")
        var members: [ScalarSet.Member] = []
        while let scalar = current, scalar != "]" || members.isEmpty {
            if take("[:") || take("&&") { throw unsupported("“[:” or “&&” in a set") }
            if take("[") {
                members.append(.set(try set()))
                continue
            }
            place += 1
            let member: ScalarSet.Member = scalar == "\\" ? try escape() : .range(scalar.value...scalar.value)
            guard case .range(let first) = member, current == "-", place + 1 < source.count, source[place + 1] != "]"
            else {
                members.append(member)
                continue
            }
            place += 1
            guard let end = current else { throw unsupported("a set without end") }
            place += 1
            let last: ScalarSet.Member = end == "\\" ? try escape() : .range(end.value...end.value)
            guard case .range(let upper) = last, first.lowerBound <= upper.upperBound, end != "[" else {
                throw unsupported("a range of a set")
            }
            members.append(.range(first.lowerBound...upper.upperBound))
        }
        guard take("]") else { throw unsupported("a set without end") }
        return ScalarSet(members, isInverted: isInverted, ignoresCase: ignoresCase)
    }

    /// Reads what follows a backslash.
    private mutating func escape() throws(TokenizerError) -> ScalarSet.Member {
        guard let scalar = current else { throw unsupported("“\\” at the end") }
        place += 1
        func single(_ value: UInt32) -> ScalarSet.Member { .range(value...value) }
        switch scalar {
        case "n": return single(0x0A)
        case "r": return single(0x0D)
        case "t": return single(0x09)
        case "f": return single(0x0C)
        case "v": return single(0x0B)
        case "s", "S": return .property(.whitespace, isInverted: scalar == "S")
        case "d", "D": return .property(.digit, isInverted: scalar == "D")
        case "w", "W": return .property(.word, isInverted: scalar == "W")
        case "p", "P": return try property(isInverted: scalar == "P")
        case "x", "u": return single(try code(scalar))
        default:
            let isWord = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            guard scalar.isASCII, !isWord else { throw unsupported("“\\\(scalar)”") }
            return single(scalar.value)
        }
    }

    private mutating func property(isInverted: Bool) throws(TokenizerError) -> ScalarSet.Member {
        var name = ""
        guard take("{") else { throw unsupported("“\\p” without a name") }
        let isNegated = take("^")
        while let scalar = current, scalar != "}", name.utf8.count < 40 {
            name.unicodeScalars.append(scalar)
            place += 1
        }
        guard take("}"), ScalarSet.categoryNames.contains(name) else { throw unsupported("“\\p{\(name)}”") }
        return .property(.category(name), isInverted: isInverted != isNegated)
    }

    /// Reads `{1F600}` or `FF` after `x`, four digits after `u`.
    private mutating func code(_ kind: Unicode.Scalar) throws(TokenizerError) -> UInt32 {
        let isBraced = kind == "x" && take("{")
        let most = isBraced ? 8 : kind == "x" ? 2 : 4
        var digits = ""
        while let scalar = current, scalar.properties.isASCIIHexDigit, digits.utf8.count < most {
            digits.unicodeScalars.append(scalar)
            place += 1
        }
        guard let value = UInt32(digits, radix: 16), !isBraced || take("}") else { throw unsupported("a number") }
        return value
    }
}
