// SPDX-License-Identifier: Apache-2.0

/// SentencePiece's byte pair encoding: of all adjacent pairs that spell a token, the one of highest score merges first.
struct SentencePieceEncoder: Sendable {
    /// The rank of each token: the higher its score, the lower the rank. Tokens that text must not become have the
    /// highest possible rank.
    private let ranks: [UInt32]
    private let byteFallback: [TokenID?]
    /// Whether a space is put before the beginning of a text.
    let addsSpacePrefix: Bool

    /// Working memory that one call of `encode` reuses for all texts.
    typealias Scratch = PairMerger

    init(_ description: TokenizerDescription, vocabulary: Vocabulary) {
        ranks = zip(description.tokens, vocabulary.attributes).map { token, attributes in
            attributes.contains(.reserved) ? .max : Self.rank(ofScore: token.score)
        }
        let unknown = description.unknown.flatMap { vocabulary.contains($0) ? $0 : nil } ?? 0
        byteFallback = (UInt8.min...UInt8.max).map { byte in
            vocabulary.id(ofByte: byte) ?? vocabulary.id(of: CollectionOfOne(byte)) ?? unknown
        }
        addsSpacePrefix = description.addsSpacePrefix ?? true
    }

    /// Appends the tokens of `bytes` to `output`.
    func encode(
        _ bytes: ArraySlice<UInt8>, afterText: Bool, with vocabulary: Vocabulary, using merger: inout Scratch,
        into output: inout [TokenID]
    ) {
        let prefix: [UInt8] = addsSpacePrefix && !afterText ? [0x20] : []
        for chunk in (prefix + bytes).escapingSpaces().chunks(of: PairMerger.maximumCount) {
            chunk.withUnsafeBufferPointer { text in
                merger.reset()
                var start = 0
                while start < text.count {
                    let length = min(Self.lengths[Int(text[start] >> 4)], text.count - start)
                    let character = UnsafeBufferPointer(rebasing: text[start..<start + length])
                    let piece = vocabulary.pieces.find(character).flatMap { ranks[Int($0)] < .max ? $0 : nil }
                    merger.append(piece ?? MergeSymbol.none, start: UInt32(start), length: UInt32(length))
                    start += length
                }
                merger.run(ScoreRule(text: text, vocabulary: vocabulary, ranks: ranks))
                merger.forEach { symbol in
                    if symbol.piece != MergeSymbol.none {
                        output.append(TokenID(symbol.piece))
                    } else {
                        let bytes = text[Int(symbol.start)..<Int(symbol.start + symbol.length)]
                        output.append(contentsOf: bytes.lazy.compactMap { byteFallback[Int($0)] })
                    }
                }
            }
        }
    }

    /// The number of bytes of a character by the upper four bits of its first byte; invalid text is accepted as in
    /// llama.cpp.
    private static let lengths = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4]

    /// Maps scores to integers in reverse order; NaN comes last.
    private static func rank(ofScore score: Float) -> UInt32 {
        guard !score.isNaN else { return .max - 1 }
        // Adding zero makes -0 into +0: they compare equal but differ in their bits.
        let bits = (score + 0).bitPattern
        let ascending = bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
        return min(~ascending, .max - 1)
    }

    private struct ScoreRule: MergeRule {
        let text: UnsafeBufferPointer<UInt8>
        let vocabulary: Vocabulary
        let ranks: [UInt32]

        @inline(__always)
        func merge(_ left: MergeSymbol, _ right: MergeSymbol) -> Merge? {
            let range = Int(left.start)..<Int(right.start + right.length)
            guard let piece = vocabulary.pieces.find(UnsafeBufferPointer(rebasing: text[range])),
                ranks[Int(piece)] < .max
            else { return nil }
            return Merge(rank: ranks[Int(piece)], piece: piece)
        }
    }
}

extension Array {
    /// The elements in slices of at most `count`.
    fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
