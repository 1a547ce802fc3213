// SPDX-License-Identifier: Apache-2.0

/// Converts text to the token ids that a model was trained on, and ids back to text.
///
/// It is built once from a model file's description, immutable, and may be used from any thread. The ids are the same
/// as llama.cpp's for the same file, and for BERT's vocabularies those of the reference implementation. Those of a folder's `tokenizer.json` are the
/// same as those of Hugging Face's `tokenizers` library. Character categories are those of Unicode 15.1.
///
/// ```swift
/// let tokenizer = try Tokenizer(description)
/// let ids = tokenizer.encode("Hello, world!")
/// let text = tokenizer.decode(ids)
/// ```
public final class Tokenizer: Sendable {
    enum Encoder: Sendable {
        case bytePair(BytePairEncoder)
        case sentencePiece(SentencePieceEncoder)
        case wordPiece(WordPieceEncoder)
        case pipeline(PipelineEncoder)
    }

    let vocabulary: Vocabulary
    let encoder: Encoder
    let special: SpecialTokenPartition
    /// The tokens that the vocabulary reserves for templates, whatever the template.
    let reserved: ReservedTokens

    /// The token that begins a text, if the model has one.
    public let beginningOfText: TokenID?
    /// The token that ends a text, if the model has one.
    public let endOfText: TokenID?
    /// Whether the model expects a prompt to begin with ``beginningOfText``. `encode` does not add it.
    public let addsBeginningOfText: Bool
    /// Whether the model expects a text to end with ``endOfText``. `encode` does not add it.
    public let addsEndOfText: Bool
    /// Whether a space is added before the beginning of a text when tokenising, and removed when decoding.
    public let addsSpacePrefix: Bool

    /// Builds a tokenizer.
    ///
    /// - Throws: ``TokenizerError``, where the description names a pre-tokenizer that is not implemented or its
    ///   vocabulary cannot be used. Ids beyond the vocabulary are ignored.
    public init(_ description: TokenizerDescription) throws {
        var vocabulary = try Vocabulary(description)
        var beginning = description.beginningOfText
        var end = description.endOfText
        var addsBeginning = description.addsBeginningOfText
        var addsEnd = description.addsEndOfText
        switch description.algorithm {
        case .bytePairEncoding(let name), .numberedBytePairs(let name):
            let preTokenizer = try PreTokenizer.named(name)
            let isNumbered = description.algorithm == .numberedBytePairs(preTokenizer: name)
            encoder = .bytePair(
                try BytePairEncoder(
                    preTokenizer: preTokenizer, merges: isNumbered ? nil : description.merges, vocabulary: &vocabulary))
            // Gemma 4's files declare false, but the model needs the token.
            if preTokenizer.keepsLineFeedRuns { addsBeginning = true }
            addsBeginning = addsBeginning ?? preTokenizer.addsBeginningOfText
            addsSpacePrefix = description.addsSpacePrefix ?? false
        case .sentencePiece:
            encoder = .sentencePiece(SentencePieceEncoder(description, vocabulary: vocabulary))
            beginning = beginning ?? 1
            end = end ?? 2
            addsSpacePrefix = description.addsSpacePrefix ?? true
        case .wordPiece:
            encoder = .wordPiece(WordPieceEncoder(description, vocabulary: vocabulary))
            beginning = beginning ?? vocabulary.id(of: "[CLS]".utf8)
            end = end ?? vocabulary.id(of: "[SEP]".utf8)
            addsEnd = addsEnd ?? true
            addsSpacePrefix = true
        case .pipeline(let pipeline):
            encoder = .pipeline(
                try PipelineEncoder(pipeline, merges: description.merges, vocabulary: &vocabulary))
            addsBeginning = addsBeginning ?? false
            addsSpacePrefix = pipeline.decoder.stripsFirstSpace
        }
        beginningOfText = beginning.flatMap { vocabulary.contains($0) ? $0 : nil }
        endOfText = end.flatMap { vocabulary.contains($0) ? $0 : nil }
        addsBeginningOfText = (addsBeginning ?? true) && beginningOfText != nil
        addsEndOfText = (addsEnd ?? false) && endOfText != nil
        reserved = ReservedTokens(vocabulary, beginningOfText: beginningOfText, endOfText: endOfText)
        special = try SpecialTokenPartition(vocabulary, reserved)
        self.vocabulary = vocabulary
    }

    /// The number of tokens in the vocabulary.
    public var vocabularySize: Int { vocabulary.count }

    /// The tokens that end a generation: those that the file declares, and those known by their text.
    public var endOfGeneration: Set<TokenID> { vocabulary.endOfGeneration }

    /// Whether a token is a control token, which is not shown as text.
    ///
    /// - Returns: False for an id beyond the vocabulary.
    public func isControl(_ id: TokenID) -> Bool {
        vocabulary.contains(id)
            && !vocabulary.attributes[Int(id)].isDisjoint(with: [.control, .unknown])
    }

    /// The text of a token as the file spells it, byte-level tokens in GPT-2's alphabet; nil beyond the vocabulary.
    public func spelling(of id: TokenID) -> String? {
        vocabulary.contains(id) ? String(decoding: vocabulary.pieces[PieceID(id)], as: UTF8.self) : nil
    }

    /// The token with this spelling in the file, if there is one.
    public func id(ofSpelling text: String) -> TokenID? {
        vocabulary.id(of: text.utf8)
    }
}
