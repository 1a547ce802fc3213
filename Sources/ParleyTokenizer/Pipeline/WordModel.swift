// SPDX-License-Identifier: Apache-2.0

/// Makes tokens of a word: a model of the `tokenizers` library.
protocol WordModel: Sendable {
    /// Appends the tokens of a word, which may be a whole text; where `watch` ends that, they must not be used.
    func encode(
        _ word: [Unicode.Scalar], with vocabulary: Vocabulary, _ watch: EncodingWatch?, into output: inout [TokenID])
}

/// The UTF-8 form of characters.
func utf8(_ text: some Sequence<Unicode.Scalar>) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in text { bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
    return bytes
}

/// The tokens of the bytes of a text, `<0x0A>`; nil if one of them has none.
func byteTokens(of bytes: [UInt8], in vocabulary: Vocabulary) -> [TokenID]? {
    let ids = bytes.compactMap(vocabulary.id(ofByte:))
    return ids.count == bytes.count ? ids : nil
}

extension Vocabulary {
    /// Throws ``TokenizerError`` if the vocabulary has longer tokens than can be looked up at each place of a word.
    func requireShortTokens() throws(TokenizerError) {
        if pieces.maximumLength > TokenizerError.longestToken { throw .tooLong(pieces.maximumLength) }
    }
}

/// Whole words; others are the unknown token.
struct WholeWordModel: WordModel {
    let unknown: TokenID?

    func encode(
        _ word: [Unicode.Scalar], with vocabulary: Vocabulary, _ watch: EncodingWatch?, into output: inout [TokenID]
    ) {
        if let id = vocabulary.wordID(of: utf8(word)) ?? unknown { output.append(id) }
    }
}

/// The longest tokens that spell a word, from left to right.
struct LongestPieceModel: WordModel {
    let unknown: TokenID
    let prefix: [UInt8]
    let longestWord: Int

    /// Throws ``TokenizerError`` for a vocabulary with tokens that are too long.
    init(unknown: TokenID, prefix: String, longestWord: Int, _ vocabulary: Vocabulary) throws(TokenizerError) {
        try vocabulary.requireShortTokens()
        (self.unknown, self.prefix, self.longestWord) = (unknown, Array(prefix.utf8), longestWord)
    }

    func encode(
        _ word: [Unicode.Scalar], with vocabulary: Vocabulary, _ watch: EncodingWatch?, into output: inout [TokenID]
    ) {
        guard word.count <= longestWord, let ids = split(word, with: vocabulary, watch) else {
            output.append(unknown)
            return
        }
        output += ids
    }

    private func split(
        _ word: [Unicode.Scalar], with vocabulary: Vocabulary, _ watch: EncodingWatch?
    ) -> [TokenID]? {
        let bytes = utf8(word)
        // Where a character begins.
        let starts = bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 } + [bytes.count]
        var ids: [TokenID] = []
        var start = 0
        while start < word.count {
            let lead = start == 0 ? [] : prefix
            // A file may say that words are as long as it likes; a token takes at least a byte for each character.
            var end = min(word.count, start + vocabulary.pieces.maximumLength)
            var found: TokenID?
            while end > start {
                found = vocabulary.wordID(of: lead + bytes[starts[start]..<starts[end]])
                if found != nil { break }
                end -= 1
            }
            guard let found else { return nil }
            if let watch, watch.ends(after: end - start) { return ids }
            ids.append(found)
            start = end
        }
        return ids
    }
}

/// Byte pair encoding of characters, by the rank of the pairs.
struct BytePairModel: WordModel {
    private let options: TokenizerPipeline.BytePairOptions
    private let merges: MergeTable
    private let prefix: [UInt8]
    private let suffix: [UInt8]

    /// Reads the merges. Throws ``TokenizerError`` if one is of texts that are no tokens, or makes none.
    init(
        _ options: TokenizerPipeline.BytePairOptions, merges: [String], vocabulary: inout Vocabulary
    ) throws(TokenizerError) {
        self.options = options
        prefix = Array(options.prefix.utf8)
        suffix = Array(options.suffix.utf8)
        var table = MergeTable(capacity: merges.count)
        for (rank, merge) in merges.enumerated() {
            guard !table.isOverloaded else { throw .overloaded }
            let text = Array(merge.utf8)
            guard let space = text.dropFirst().firstIndex(of: 0x20),
                let left = vocabulary.id(of: text[..<space]), let right = vocabulary.id(of: text[(space + 1)...]),
                text.count - space - 1 >= prefix.count,
                let whole = vocabulary.id(of: text[..<space] + text[(space + 1 + prefix.count)...])
            else {
                throw TokenizerError(
                    .invalidVocabulary,
                    "The tokenizer's merge \(rank) is of texts that are no tokens. The file is damaged.")
            }
            if vocabulary.isReserved(PieceID(whole)) { continue }
            table.insert(PieceID(left), PieceID(right), Merge(rank: UInt32(rank), piece: PieceID(whole)))
        }
        self.merges = table
    }

    func encode(
        _ word: [Unicode.Scalar], with vocabulary: Vocabulary, _ watch: EncodingWatch?, into output: inout [TokenID]
    ) {
        if options.ignoresMerges, let id = vocabulary.wordID(of: utf8(word)) {
            output.append(id)
            return
        }
        var merger = PairMerger()
        merger.watch = watch
        var isAfterUnknown = false
        for (index, scalar) in word.enumerated() {
            var bytes = utf8([scalar])
            if index > 0 { bytes = prefix + bytes }
            if index == word.count - 1 { bytes += suffix }
            if let id = vocabulary.wordID(of: bytes) {
                merger.append(PieceID(id), start: UInt32(index), length: 1)
                isAfterUnknown = false
            } else if options.spellsBytes, let ids = byteTokens(of: bytes, in: vocabulary) {
                for id in ids { merger.append(PieceID(id), start: UInt32(index), length: 1) }
                isAfterUnknown = false
            } else if let unknown = options.unknown {
                if !isAfterUnknown || !options.joinsUnknown {
                    merger.append(PieceID(unknown), start: UInt32(index), length: 1)
                }
                isAfterUnknown = true
            }
        }
        merger.run(merges)
        if let watch, watch.isOver { return }
        merger.forEach { output.append(TokenID($0.piece)) }
    }
}
