// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

extension GGUFFile {
    /// Reads the description of the file's tokenizer.
    ///
    /// This decodes the vocabulary, which takes about 50 ms for 250,000 tokens, so keep the result.
    ///
    /// - Throws: ``ModelFileError``, with code `unsupportedTokenizer` if the kind of tokenizer is not implemented.
    public func tokenizerDescription() throws(ModelFileError) -> TokenizerDescription {
        if let folderTokenizer { return folderTokenizer }
        let algorithm = try tokenizerAlgorithm()
        let tokens = try vocabulary()
        var fillInMiddleEnds: [TokenID] = []
        for name in ["fim_pad", "fim_rep", "fim_sep"] {
            if let id = try tokenID(name, below: tokens.count) { fillInMiddleEnds.append(id) }
        }
        var beginning = try tokenID("bos", below: tokens.count)
        var end = try tokenID("eos", below: tokens.count)
        let isWordPiece = algorithm == .wordPiece
        if isWordPiece {
            // BERT's names for what begins and ends a text; the second is misspelt in the format itself.
            beginning = try tokenID("cls", below: tokens.count) ?? beginning
            end = try tokenID("seperator", below: tokens.count) ?? end
        }
        return TokenizerDescription(
            algorithm: algorithm,
            tokens: tokens,
            merges: isWordPiece || algorithm == .sentencePiece ? [] : try merges(),
            beginningOfText: beginning,
            endOfText: end,
            endOfTurn: try tokenID("eot", below: tokens.count),
            endOfMessage: try tokenID("eom", below: tokens.count),
            unknown: try tokenID("unknown", below: tokens.count),
            fillInMiddleEnds: fillInMiddleEnds,
            // An encoder's texts have both, whatever the file says, as in llama.cpp.
            addsBeginningOfText: isWordPiece ? true : try metadata.bool(ifPresent: "tokenizer.ggml.add_bos_token"),
            addsEndOfText: isWordPiece ? true : try metadata.bool(ifPresent: "tokenizer.ggml.add_eos_token"),
            addsSpacePrefix: try metadata.bool(ifPresent: "tokenizer.ggml.add_space_prefix"),
            removesExtraWhitespace: try metadata.bool(ifPresent: "tokenizer.ggml.remove_extra_whitespaces"),
            modelName: modelName)
    }

    private func tokenizerAlgorithm() throws(ModelFileError) -> TokenizerDescription.Algorithm {
        let model = try metadata.string("tokenizer.ggml.model")
        switch model {
        case "gpt2":
            // Old files do not name a pre-tokenizer; llama.cpp then uses one that it calls `default`.
            return .bytePairEncoding(preTokenizer: try metadata.string(ifPresent: "tokenizer.ggml.pre") ?? "default")
        case "gemma4": return .bytePairEncoding(preTokenizer: "gemma4")
        case "llama": return .sentencePiece
        case "bert": return .wordPiece
        default:
            throw ModelFileError(
                .unsupportedTokenizer,
                "\(name): the tokenizer \(metadata["tokenizer.ggml.model"]?.excerpt ?? "") is not supported; use a model "
                    + "with one of gpt2, llama, gemma4, bert.")
        }
    }

    private func vocabulary() throws(ModelFileError) -> [TokenizerDescription.Token] {
        let key = "tokenizer.ggml.tokens"
        let texts = try metadata.require(key, "an array of text") { $0.elementType == .string ? $0 : nil }
        guard texts.count > 0 else { throw invalid(key, "has no tokens") }
        let kinds = try tokenNumbers("tokenizer.ggml.token_type", for: texts.count, \.integers)
        let scores = try tokenNumbers("tokenizer.ggml.scores", for: texts.count) { value in
            value.floats ?? value.integers?.map(Float.init)
        }
        var tokens: [TokenizerDescription.Token] = []
        tokens.reserveCapacity(texts.count)
        texts.forEachString { text in
            let index = tokens.count
            tokens.append(
                .init(text: text, kind: Self.kind(kinds?[index]), score: scores?[index] ?? 0))
        }
        guard tokens.count == texts.count else { throw invalid(key, "changed while it was read") }
        return tokens
    }

    /// The kind of a token: `normal` if the file has no kinds, `unused` if the number is unknown.
    private static func kind(_ number: Int?) -> TokenizerDescription.TokenKind {
        guard let number else { return .normal }
        return Int32(exactly: number).flatMap(TokenizerDescription.TokenKind.init) ?? .unused
    }

    /// Reads an array with a 32-bit number for each token; nil if the file has none.
    private func tokenNumbers<Number>(
        _ key: String, for count: Int, _ accessor: (MetadataValue) -> [Number]?
    ) throws(ModelFileError) -> [Number]? {
        // Checked before anything is decoded, because an array of the wrong length may be as long as the file.
        if let value = metadata[key], value.elementType?.byteCount == 4, value.count < count {
            throw invalid(key, "has \(value.count) entries for \(count) tokens")
        }
        return try metadata.read(key, "an array of numbers of 32 bits") { value in
            value.elementType?.byteCount == 4 ? accessor(value.prefix(count)) : nil
        }
    }

    private func merges() throws(ModelFileError) -> [String] {
        let key = "tokenizer.ggml.merges"
        let merges = try metadata.strings(key)
        // The first byte belongs to the left part even if it is a space.
        if let bad = merges.firstIndex(where: { !$0.utf8.dropFirst().contains(UInt8(ascii: " ")) }) {
            throw invalid(key, "has an entry \(bad) that is no pair")
        }
        return merges
    }

    private func tokenID(_ role: String, below count: Int) throws(ModelFileError) -> TokenID? {
        let key = "tokenizer.ggml.\(role)_token_id"
        guard let id = try metadata.integer(ifPresent: key) else { return nil }
        guard id >= 0, id < count else {
            throw invalid(key, "is \(id), but the vocabulary has \(count) tokens")
        }
        return TokenID(id)
    }

    private func invalid(_ key: String, _ what: String) -> ModelFileError {
        ModelFileError(
            .invalidValue, "\(name): the metadata entry \(key) \(what). The file is damaged; download it again.")
    }
}
