// SPDX-License-Identifier: Apache-2.0

/// Finds added tokens in text, in the way of the `tokenizers` library: from left to right, the longest at each place.
struct AddedTokenPartition: Sendable {
    /// A part of the text.
    enum Fragment: Equatable {
        case token(TokenID)
        /// Ordinary text, never empty.
        case text(Range<Int>)
    }

    /// The tokens in the order of their texts; of equal ones in the order of the file.
    private let tokens: [TokenizerPipeline.AddedToken]
    private let texts: SortedTexts<Unicode.Scalar>

    /// Of so many tokens with the same text, the first that is allowed counts. No real tokenizer has more.
    private static let mostEqual = 16

    /// - Parameters:
    ///   - tokens: the tokens.
    ///   - texts: their texts, where they are looked for in normalised text; nil for those that they have.
    /// - Throws: ``TokenizerError`` if a token is too long to be looked for at each place of a text.
    init(_ tokens: [TokenizerPipeline.AddedToken], texts: [[Unicode.Scalar]]? = nil) throws(TokenizerError) {
        let texts = texts ?? tokens.map { Array($0.text.unicodeScalars) }
        let order = texts.indices.sorted { left, right in
            texts[left].lexicographicallyPrecedes(texts[right]) || texts[left] == texts[right] && left < right
        }
        self.tokens = order.map { tokens[$0] }
        self.texts = try SortedTexts(order.map { texts[$0] })
    }

    /// The fragments of a text, in order.
    func fragments(
        of text: [Unicode.Scalar], isAllowed: (TokenizerPipeline.AddedToken, Range<Int>) -> Bool
    ) -> [Fragment] {
        var fragments: [Fragment] = []
        var done = 0
        var place = 0
        while place < text.count {
            guard let (token, length) = longest(in: text, at: place, isAllowed) else {
                place += 1
                continue
            }
            var range = place..<place + length
            place = range.upperBound
            if token.isSingleWord, !Self.standsAlone(range, in: text) { continue }
            if token.stripsLeft {
                while range.lowerBound > done, text[range.lowerBound - 1].properties.isWhitespace {
                    range = range.lowerBound - 1..<range.upperBound
                }
            }
            if token.stripsRight {
                while range.upperBound < text.count, text[range.upperBound].properties.isWhitespace {
                    range = range.lowerBound..<range.upperBound + 1
                }
            }
            if done < range.lowerBound { fragments.append(.text(done..<range.lowerBound)) }
            fragments.append(.token(token.id))
            done = range.upperBound
            place = max(place, done)
        }
        if done < text.count { fragments.append(.text(done..<text.count)) }
        return fragments
    }

    private func longest(
        in text: [Unicode.Scalar], at place: Int, _ isAllowed: (TokenizerPipeline.AddedToken, Range<Int>) -> Bool
    ) -> (token: TokenizerPipeline.AddedToken, length: Int)? {
        var longest: (number: Int, length: Int)?
        texts.forEach(of: texts.range(beginningWith: text[place]), in: text, at: place) { equal, length in
            let number = equal.prefix(Self.mostEqual).first { isAllowed(tokens[$0], place..<place + length) }
            if let number { longest = (number, length) }
        }
        return longest.map { (tokens[$0.number], $0.length) }
    }

    private static func standsAlone(_ range: Range<Int>, in text: [Unicode.Scalar]) -> Bool {
        let word = ScalarSet([.property(.word, isInverted: false), .property(.alphabetic, isInverted: false)])
        let before = range.lowerBound > 0 && word.contains(text[range.lowerBound - 1])
        let after = range.upperBound < text.count && word.contains(text[range.upperBound])
        return !before && !after
    }
}
