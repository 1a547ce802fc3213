// SPDX-License-Identifier: Apache-2.0

/// Finds added tokens in text, in the way of the `tokenizers` library: from left to right, the longest at each place.
struct AddedTokenPartition: Sendable {
    /// A part of the text.
    enum Fragment: Equatable {
        case token(TokenID)
        /// Ordinary text, never empty.
        case text(Range<Int>)
    }

    private let tokens: [TokenizerPipeline.AddedToken]
    private let texts: [[Unicode.Scalar]]
    /// The numbers of the tokens that begin with a character, the longest first.
    private var byFirst: [Unicode.Scalar: [Int]] = [:]

    /// - Parameters:
    ///   - tokens: the tokens.
    ///   - texts: their texts, where they are looked for in normalised text; nil for those that they have.
    init(_ tokens: [TokenizerPipeline.AddedToken], texts: [[Unicode.Scalar]]? = nil) {
        let texts = texts ?? tokens.map { Array($0.text.unicodeScalars) }
        self.tokens = tokens
        self.texts = texts
        for (number, text) in texts.enumerated() {
            if let first = text.first { byFirst[first, default: []].append(number) }
        }
        // Of two with the same text the first one counts.
        for first in byFirst.keys { byFirst[first]?.sort { (-texts[$0].count, $0) < (-texts[$1].count, $1) } }
    }

    var isEmpty: Bool { tokens.isEmpty }

    /// The fragments of a text, in order.
    func fragments(
        of text: [Unicode.Scalar], isAllowed: (TokenizerPipeline.AddedToken, Range<Int>) -> Bool
    ) -> [Fragment] {
        var fragments: [Fragment] = []
        var done = 0
        var place = 0
        while place < text.count {
            guard let number = longest(in: text, at: place, isAllowed) else {
                place += 1
                continue
            }
            let token = tokens[number]
            var range = place..<place + texts[number].count
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
    ) -> Int? {
        byFirst[text[place]]?.first { number in
            let end = place + texts[number].count
            return end <= text.count && text[place..<end].elementsEqual(texts[number])
                && isAllowed(tokens[number], place..<end)
        }
    }

    private static func standsAlone(_ range: Range<Int>, in text: [Unicode.Scalar]) -> Bool {
        let word = ScalarSet([.property(.word, isInverted: false), .property(.alphabetic, isInverted: false)])
        let before = range.lowerBound > 0 && word.contains(text[range.lowerBound - 1])
        let after = range.upperBound < text.count && word.contains(text[range.upperBound])
        return !before && !after
    }
}
