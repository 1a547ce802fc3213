// SPDX-License-Identifier: Apache-2.0

/// Makes tokens of text by the steps of a ``TokenizerPipeline``.
struct PipelineEncoder: Sendable {
    let pipeline: TokenizerPipeline
    private let model: any WordModel
    /// The added tokens that are looked for in the text as it is, and in normalised text.
    private let raw: AddedTokenPartition
    private let normalized: AddedTokenPartition
    /// All of them as they are: where template and input are told apart, no control token must be missed.
    private let all: AddedTokenPartition

    init(_ pipeline: TokenizerPipeline, merges: [String], vocabulary: inout Vocabulary) throws(TokenizerError) {
        self.pipeline = pipeline
        switch pipeline.model {
        case .bytePairs(let options):
            model = try BytePairModel(options, merges: merges, vocabulary: &vocabulary)
        case .unigram(let scores, let unknown, let spellsBytes):
            model = try UnigramModel(scores: scores, unknown: unknown, spellsBytes: spellsBytes, vocabulary)
        case .wordPiece(let unknown, let prefix, let longestWord):
            model = try LongestPieceModel(
                unknown: unknown, prefix: prefix, longestWord: longestWord, vocabulary)
        case .words(let unknown): model = WholeWordModel(unknown: unknown)
        }
        raw = try AddedTokenPartition(pipeline.addedTokens.filter { !$0.isNormalized })
        all = try AddedTokenPartition(pipeline.addedTokens)
        let found = pipeline.addedTokens.filter(\.isNormalized)
        normalized = try AddedTokenPartition(found, texts: Self.normalizedTexts(of: found, pipeline))
    }

    /// The number of characters up to which steps may make a text grow, so that many of them cannot double it each.
    ///
    /// Compatibility normalisation makes up to 18 of a character, and spelling bytes up to 4.
    private static func limit(of count: Int, times factor: Int = 64) -> Int { factor * (count + 1) }

    /// The text after all steps but those that would make it too long.
    private static func normalize(_ text: [Unicode.Scalar], _ pipeline: TokenizerPipeline) -> [Unicode.Scalar] {
        let limit = limit(of: text.count)
        return pipeline.normalizers.reduce(text) { $1.apply(to: $0, upTo: limit) ?? $0 }
    }

    /// The texts of tokens after all steps. Throws ``TokenizerError`` if they are too long together.
    private static func normalizedTexts(
        of tokens: [TokenizerPipeline.AddedToken], _ pipeline: TokenizerPipeline
    ) throws(TokenizerError) -> [[Unicode.Scalar]] {
        var texts = tokens.map { Array($0.text.unicodeScalars) }
        var room = limit(of: texts.reduce(0) { $0 + $1.count })
        for number in texts.indices {
            for normalizer in pipeline.normalizers {
                guard let text = normalizer.apply(to: texts[number], upTo: room) else {
                    throw TokenizerError(
                        .invalidVocabulary,
                        "The tokenizer's normaliser makes its added tokens more than 64 times as long, as no real one "
                            + "does. Use another file.")
                }
                texts[number] = text
            }
            room -= texts[number].count
        }
        return texts
    }

    /// Appends the tokens of a text to `output`.
    func encode(
        _ bytes: [UInt8], controlTokens scope: SpecialTokenPartition.Scope, with vocabulary: Vocabulary,
        _ watch: EncodingWatch?, into output: inout [TokenID]
    ) {
        let text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        switch scope {
        case .everywhere: encode(text, raw, with: vocabulary, watch, into: &output) { _, _ in true }
        case .nowhere: encode(text, raw, with: vocabulary, watch, into: &output) { token, _ in !token.isSpecial }
        case .within(let ranges, let reserved):
            let places = ScalarPlaces(text)
            encode(text, all, with: vocabulary, watch, into: &output) { token, range in
                let bytes = places.offset(of: range.lowerBound)..<places.offset(of: range.upperBound)
                return reserved.allows(token.id, at: bytes, template: ranges)
            }
        }
    }

    private func encode(
        _ text: [Unicode.Scalar], _ partition: AddedTokenPartition, with vocabulary: Vocabulary,
        _ watch: EncodingWatch?, into output: inout [TokenID],
        isAllowed: (TokenizerPipeline.AddedToken, Range<Int>) -> Bool
    ) {
        for fragment in partition.fragments(of: text, isAllowed: isAllowed) {
            switch fragment {
            case .token(let id): output.append(id)
            case .text(let range):
                if let watch, watch.ends(after: range.count) { return }
                let section = Self.normalize(Array(text[range]), pipeline)
                // Nothing but the fragment's place says whether a token of normalised text is the template's.
                let finer = normalized.fragments(of: section) { token, _ in
                    !token.isSpecial || isAllowed(token, range)
                }
                for part in finer {
                    switch part {
                    case .token(let id): output.append(id)
                    case .text(let inner):
                        let isFirst = range.lowerBound == 0 && inner.lowerBound == 0
                        encodeWords(of: Array(section[inner]), isFirst: isFirst, vocabulary, watch, &output)
                    }
                }
            }
        }
    }

    private func encodeWords(
        of text: [Unicode.Scalar], isFirst: Bool, _ vocabulary: Vocabulary, _ watch: EncodingWatch?,
        _ output: inout [TokenID]
    ) {
        var pieces = [text]
        var isFirst = isFirst
        let limit = Self.limit(of: text.count, times: 8)
        for splitter in pipeline.splitters {
            var finer: [[Unicode.Scalar]] = []
            for (number, piece) in pieces.enumerated() {
                if let watch, watch.ends(after: piece.count) { return }
                let parts = splitter.split(piece, isFirst: isFirst && number == 0).filter { !$0.isEmpty }
                // A first piece whose beginning was left out is not the beginning of the text any more.
                if number == 0, case .removed = splitter.behavior, parts.first?.first != piece.first { isFirst = false }
                finer += parts
            }
            // A step that would make the text too long is left out.
            if finer.reduce(0, { $0 + $1.count }) <= limit { pieces = finer }
        }
        for piece in pieces {
            if let watch, watch.ends(after: piece.count) { return }
            model.encode(piece, with: vocabulary, watch, into: &output)
        }
    }
}

extension TextSplitter {
    /// What the step makes of what it splits at, as far as that leaves something out.
    fileprivate var behavior: Behavior {
        switch self {
        case .whitespace, .words, .bert, .delimiter: .removed
        case .pattern(_, let behavior, _), .punctuation(let behavior): behavior
        case .digits, .marks, .bytes: .isolated
        }
    }
}

/// Where the characters of a text lie among its bytes.
private struct ScalarPlaces {
    private var offsets: [Int] = [0]

    init(_ text: [Unicode.Scalar]) {
        offsets.reserveCapacity(text.count + 1)
        var offset = 0
        for scalar in text {
            offset += UTF8.width(scalar)
            offsets.append(offset)
        }
    }

    func offset(of index: Int) -> Int { offsets[index] }
}
