// SPDX-License-Identifier: Apache-2.0

/// GPT-2's byte pair encoding: the text is split into words, and the bytes of each word are merged by rank, which is a
/// merge's place in a list or, without one, the id of the token that it makes.
struct BytePairEncoder: Sendable {
    let preTokenizer: PreTokenizer
    private let merges: MergeTable
    /// Whether the ids of tokens are the ranks, and ``merges`` is empty.
    private let isNumbered: Bool
    /// The piece for each byte; empty for vocabularies that are not byte-level.
    private let bytePieces: [PieceID]
    /// The tokens for single bytes, for pieces that are not tokens.
    private let byteFallback: [TokenID?]

    /// Working memory that one call of `encode` reuses for all words.
    struct Scratch {
        var text = ClassifiedText()
        var merger = PairMerger()
        var word: [UInt8] = []
    }

    /// Reads the merges, and adds pieces in them that are not tokens to `vocabulary`; nil ranks by ids. Throws ``TokenizerError`` for
    /// merges constructed to collide in the hash table, which would take quadratic time.
    init(
        preTokenizer: PreTokenizer, merges: [String]?, vocabulary: inout Vocabulary
    ) throws(TokenizerError) {
        self.preTokenizer = preTokenizer
        var bytePieces: [PieceID] = []
        var byteFallback: [TokenID?] = []
        for byte in UInt8.min...UInt8.max {
            if preTokenizer.isByteLevel {
                var spelling: [UInt8] = []
                ByteAlphabet.append(byte, to: &spelling)
                spelling.withUnsafeBufferPointer { bytePieces.append(vocabulary.pieces.intern($0)) }
                // A piece that is not a token is replaced by those characters of its spelling that are ASCII.
                byteFallback.append(byte < 0x80 ? vocabulary.id(of: CollectionOfOne(byte)) : nil)
            } else {
                byteFallback.append(vocabulary.id(ofByte: byte))
            }
        }
        isNumbered = merges == nil
        let merges = merges ?? []
        self.bytePieces = bytePieces
        self.byteFallback = byteFallback
        var table = MergeTable(capacity: merges.count)
        var joined: [UInt8] = []
        // Most vocabularies list tokens in the order of the merges that make them.
        var guess: PieceID = 0
        for (rank, merge) in merges.enumerated() {
            guard !table.isOverloaded, !vocabulary.pieces.isOverloaded else { throw .overloaded }
            var merge = merge
            merge.withUTF8 { text in
                // The first space after the first byte separates the two.
                guard let space = text.dropFirst().firstIndex(of: 0x20), rank < UInt32.max else { return }
                let left = vocabulary.pieces.intern(UnsafeBufferPointer(rebasing: text[..<space]))
                let right = vocabulary.pieces.intern(UnsafeBufferPointer(rebasing: text[(space + 1)...]))
                joined.removeAll(keepingCapacity: true)
                joined.append(contentsOf: text[..<space])
                joined.append(contentsOf: text[(space + 1)...])
                let piece = joined.withUnsafeBufferPointer { vocabulary.pieces.intern($0, guess: guess) }
                guess = piece &+ 1
                guard !vocabulary.isReserved(piece) else { return }
                table.insert(left, right, Merge(rank: UInt32(rank), piece: piece))
            }
        }
        self.merges = table
    }

    /// Appends the tokens of `bytes` to `output`.
    func encode(
        _ bytes: ArraySlice<UInt8>, with vocabulary: Vocabulary, using scratch: inout Scratch,
        into output: inout [TokenID]
    ) {
        if preTokenizer.isByteLevel {
            scratch.text.load(bytes)
        } else {
            scratch.text.load(bytes.escapingSpaces())
        }
        var start = 0
        for end in preTokenizer.wordEnds(in: scratch.text) {
            if let watch = scratch.merger.watch, watch.ends(after: end - start) { return }
            while end - start > PairMerger.maximumCount / 4 {
                encodeWord(start..<start + PairMerger.maximumCount / 4, vocabulary, &scratch, &output)
                start += PairMerger.maximumCount / 4
            }
            encodeWord(start..<end, vocabulary, &scratch, &output)
            start = end
        }
    }

    private func encodeWord(
        _ range: Range<Int>, _ vocabulary: Vocabulary, _ scratch: inout Scratch, _ output: inout [TokenID]
    ) {
        let isLineFeedRun = preTokenizer.keepsLineFeedRuns && scratch.text.scalars[range.lowerBound] == 0x0A
        if preTokenizer.ignoresMerges || isLineFeedRun, let id = wholeWord(range, vocabulary, &scratch) {
            output.append(id)
            return
        }
        scratch.merger.reset()
        for index in range {
            let scalar = scratch.text.scalars[index]
            if preTokenizer.isByteLevel {
                forEachByte(of: scalar) { scratch.merger.append(bytePieces[Int($0)], start: 0, length: 1) }
            } else {
                scratch.word.removeAll(keepingCapacity: true)
                forEachByte(of: scalar) { scratch.word.append($0) }
                let piece = vocabulary.pieces.find(scratch.word) ?? MergeSymbol.none
                scratch.merger.append(piece, start: UInt32(index - range.lowerBound), length: 1)
            }
        }
        if isNumbered { scratch.merger.run(TokenOrder(vocabulary)) } else { scratch.merger.run(merges) }
        scratch.merger.forEach { symbol in
            if symbol.piece < vocabulary.count {
                output.append(TokenID(symbol.piece))
            } else if symbol.piece < vocabulary.pieces.count {
                output.append(contentsOf: vocabulary.pieces[symbol.piece].lazy.compactMap { byteFallback[Int($0)] })
            } else {
                forEachByte(of: scratch.text.scalars[range.lowerBound + Int(symbol.start)]) { byte in
                    if let id = byteFallback[Int(byte)] { output.append(id) }
                }
            }
        }
    }

    /// The token of the whole word, if there is one.
    private func wholeWord(_ range: Range<Int>, _ vocabulary: Vocabulary, _ scratch: inout Scratch) -> TokenID? {
        // Each character takes at least a byte of the spelling.
        guard range.count <= vocabulary.pieces.maximumLength else { return nil }
        scratch.word.removeAll(keepingCapacity: true)
        for index in range {
            forEachByte(of: scratch.text.scalars[index]) { byte in
                if preTokenizer.isByteLevel {
                    ByteAlphabet.append(byte, to: &scratch.word)
                } else {
                    scratch.word.append(byte)
                }
            }
        }
        return vocabulary.id(of: scratch.word).flatMap { vocabulary.isReserved(PieceID($0)) ? nil : $0 }
    }
}

extension MergeTable: MergeRule {
    @inline(__always)
    func merge(_ left: MergeSymbol, _ right: MergeSymbol) -> Merge? {
        self[left.piece, right.piece]
    }
}

/// Pairs that spell a token merge, the token of the lowest id first.
private struct TokenOrder: MergeRule {
    private let vocabulary: Vocabulary

    init(_ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
    }

    func merge(_ left: MergeSymbol, _ right: MergeSymbol) -> Merge? {
        let pieces = vocabulary.pieces
        guard left.piece < pieces.count, right.piece < pieces.count else { return nil }
        let token = vocabulary.wordID(of: Array(pieces[left.piece] + pieces[right.piece]))
        return token.map { Merge(rank: UInt32($0), piece: PieceID($0)) }
    }
}

/// The UTF-8 form of any code point below U+110000, surrogates included.
@inline(__always)
private func forEachByte(of scalar: UInt32, _ body: (UInt8) -> Void) {
    if scalar < 0x80 { return body(UInt8(scalar)) }
    if scalar < 0x800 {
        body(UInt8(0xC0 | scalar >> 6))
    } else if scalar < 0x1_0000 {
        body(UInt8(0xE0 | scalar >> 12))
        body(UInt8(0x80 | scalar >> 6 & 0x3F))
    } else {
        body(UInt8(0xF0 | scalar >> 18))
        body(UInt8(0x80 | scalar >> 12 & 0x3F))
        body(UInt8(0x80 | scalar >> 6 & 0x3F))
    }
    body(UInt8(0x80 | scalar & 0x3F))
}

extension Sequence<UInt8> {
    /// The bytes with `▁` (U+2581) for each space, as SentencePiece spells it.
    func escapingSpaces() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(underestimatedCount * 2)
        for byte in self {
            if byte == 0x20 {
                result.append(contentsOf: [0xE2, 0x96, 0x81])
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
