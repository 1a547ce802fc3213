// SPDX-License-Identifier: Apache-2.0

/// A step that splits text into words: a pre-tokenizer of the `tokenizers` library.
package enum TextSplitter: Sendable, Hashable {
    /// What becomes of the matches of a pattern.
    package enum Behavior: String, Sendable, Hashable {
        case removed = "Removed"
        case isolated = "Isolated"
        case mergedWithPrevious = "MergedWithPrevious"
        case mergedWithNext = "MergedWithNext"
        case contiguous = "Contiguous"
    }

    /// Where a mark is put before a text.
    package enum Prefix: Sendable, Hashable { case always, first, never }

    case pattern(SplitPattern, Behavior, isInverted: Bool)
    case whitespace
    case words
    case digits(isIndividual: Bool)
    case punctuation(Behavior)
    case bert
    case delimiter(Unicode.Scalar)
    case marks(Unicode.Scalar, Prefix, splits: Bool)
    case bytes(addsSpace: Bool, splits: Bool)

    /// Splits a piece of text, and changes it where the step does.
    ///
    /// - Parameters:
    ///   - text: the piece.
    ///   - isFirst: whether the text begins with it.
    /// - Returns: the pieces; empty ones do not count.
    func split(_ text: [Unicode.Scalar], isFirst: Bool) -> [[Unicode.Scalar]] {
        switch self {
        case .pattern(let pattern, let behavior, let isInverted):
            return Self.cut(text, at: pattern.matches(in: text[...]), behavior, isInverted: isInverted)
        case .whitespace: return Self.cut(text, .removed) { $0.properties.isWhitespace }
        case .words:
            return Self.cut(text, at: Self.wordsAndOthers.matches(in: text[...]), .removed, isInverted: true)
        case .digits(let isIndividual):
            return Self.cut(text, isIndividual ? .isolated : .contiguous) {
                ScalarSet.isIn("N", $0.properties.generalCategory)
            }
        case .punctuation(let behavior): return Self.cut(text, behavior, where: Self.isPunctuation)
        case .bert:
            return Self.cut(text, .removed) { $0.properties.isWhitespace }
                .flatMap { Self.cut($0, .isolated, where: Self.isPunctuation) }
        case .delimiter(let scalar): return Self.cut(text, .removed) { $0 == scalar }
        case .marks(let mark, let prefix, let splits):
            var text = text.map { $0 == " " ? mark : $0 }
            if prefix == .always || prefix == .first && isFirst, text.first != mark { text.insert(mark, at: 0) }
            return splits ? Self.cut(text, .mergedWithNext) { $0 == mark } : [text]
        case .bytes(let addsSpace, let splits):
            let text = addsSpace && text.first != " " ? [" "] + text : text
            let pieces = splits ? Self.cut(text, at: Self.gpt2.matches(in: text[...]), .isolated) : [text]
            return pieces.map(TextNormalizer.printable)
        }
    }

    /// Runs of word characters, and of others that are no white space. The expression engine of this step has a larger
    /// set of word characters than that of patterns.
    private static let wordsAndOthers: SplitPattern = {
        let word = ScalarSet([.property(.word, isInverted: false), .property(.alphabetic, isInverted: false)])
        let other = ScalarSet([.set(word), .property(.whitespace, isInverted: false)], isInverted: true)
        return SplitPattern(
            name: #"\w+|[^\w\s]+"#,
            .alternatives([.runs(word, 1...Int.max, .possessive), .runs(other, 1...Int.max, .possessive)]))
    }()

    private static let gpt2: SplitPattern = {
        func category(_ name: String) -> ScalarSet.Member { .property(.category(name), isInverted: false) }
        let space = ScalarSet.Member.property(.whitespace, isInverted: false)
        let blank = SplitExpression.runs(ScalarSet(" ", ignoresCase: false), 0...1, .most)
        let contractions = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"].map { SplitPattern(text: $0).expression }
        let rest = ScalarSet([space, category("L"), category("N")], isInverted: true)
        let spaces = SplitExpression.runs(ScalarSet([space]), 1...Int.max, .most)
        return SplitPattern(
            name: "GPT-2",
            .alternatives(
                contractions + [
                    .sequence([blank, .runs(ScalarSet([category("L")]), 1...Int.max, .possessive)]),
                    .sequence([blank, .runs(ScalarSet([category("N")]), 1...Int.max, .possessive)]),
                    .sequence([blank, .runs(rest, 1...Int.max, .possessive)]),
                    .sequence([
                        spaces,
                        .ahead(.set(ScalarSet([.property(.whitespace, isInverted: true)])), isNegative: true),
                    ]), spaces,
                ]))
    }()

    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: ScalarSet.isIn("P", scalar.properties.generalCategory)
        }
    }

    /// Cuts at each character that satisfies a condition.
    private static func cut(
        _ text: [Unicode.Scalar], _ behavior: Behavior, where condition: (Unicode.Scalar) -> Bool
    ) -> [[Unicode.Scalar]] {
        cut(text, at: text.indices.filter { condition(text[$0]) }.map { $0..<$0 + 1 }, behavior)
    }

    private static func cut(
        _ text: [Unicode.Scalar], at matches: [Range<Int>], _ behavior: Behavior, isInverted: Bool = false
    ) -> [[Unicode.Scalar]] {
        var parts: [(range: Range<Int>, isMatch: Bool)] = []
        var start = 0
        for match in matches {
            if start < match.lowerBound { parts.append((start..<match.lowerBound, isInverted)) }
            parts.append((match, !isInverted))
            start = match.upperBound
        }
        if start < text.count { parts.append((start..<text.count, isInverted)) }
        return merged(parts, behavior).map { Array(text[$0]) }
    }

    private static func merged(_ parts: [(range: Range<Int>, isMatch: Bool)], _ behavior: Behavior) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var previous = false
        switch behavior {
        case .isolated: return parts.map(\.range)
        case .removed: return parts.filter { !$0.isMatch }.map(\.range)
        case .contiguous:
            for (range, isMatch) in parts {
                if let last = result.last, isMatch == previous {
                    result[result.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    result.append(range)
                }
                previous = isMatch
            }
            return result
        case .mergedWithPrevious:
            for (range, isMatch) in parts {
                if isMatch, !previous, let last = result.last {
                    result[result.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    result.append(range)
                }
                previous = isMatch
            }
            return result
        case .mergedWithNext:
            for (range, isMatch) in parts.reversed() {
                if isMatch, !previous, let last = result.last {
                    result[result.count - 1] = range.lowerBound..<last.upperBound
                } else {
                    result.append(range)
                }
                previous = isMatch
            }
            return result.reversed()
        }
    }
}
