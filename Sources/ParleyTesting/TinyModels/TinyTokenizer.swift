// SPDX-License-Identifier: Apache-2.0

/// A small vocabulary for tests, in the form of a model file's metadata.
public struct TinyTokenizer: Sendable {
    /// The texts of the tokens, as written in model files.
    public let tokens: [String]
    /// The metadata entries that describe the vocabulary.
    public let metadata: [GGUFWriter.Entry]

    /// Byte-level byte pair encoding, with the 256 bytes, some merges, and the control tokens of ChatML.
    public static let bytePairs = TinyTokenizer(bytePairsBefore: [
        ("Ġ", "t"), ("h", "e"), ("Ġ", "a"), ("i", "n"), ("r", "e"), ("o", "n"), ("Ġt", "he"), ("e", "r"), ("Ġ", "s"),
        ("a", "t"), ("Ġ", "w"), ("o", "r"), ("l", "l"), ("Ġ", "h"), ("in", "g"), ("Ġ", "o"), ("e", "n"), ("Ġa", "n"),
        ("Ġan", "d"), ("he", "ll"), ("hell", "o"), ("Ġw", "or"), ("l", "d"), ("Ġwor", "ld"),
    ])

    /// SentencePiece, with scored pieces, and with the 256 bytes for text that the pieces do not cover.
    public static let sentencePiece = TinyTokenizer(pieces: [
        "▁", "e", "t", "a", "o", "n", "i", "s", "r", "h", "l", "d", "u", "c", "m", "w", "g", "▁t", "he", "▁the", "▁a",
        "in", "er", "▁an", "▁and", "ll", "hell", "hello", "▁w", "or", "▁wor", "ld", "▁world",
    ])

    /// BERT's WordPiece, with the letters and some words and parts of words.
    public static let wordPieces = TinyTokenizer(words: [
        "the", "a", "of", "and", "hello", "world", "un", "##able", "##ing", "##ed", "##s", "text", "vector", "mean",
    ])

    /// A chat template that puts each message between the control tokens of ``bytePairs``.
    public static let chatTemplate = """
        {%- for message in messages -%}
        {{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
        {%- endfor -%}
        {%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}
        """

    private init(bytePairsBefore merges: [(String, String)]) {
        let control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        tokens = control + (0...255).map { Self.printable($0) } + merges.map { $0 + $1 }
        metadata = [
            .init("tokenizer.ggml.model", .string("gpt2")),
            .init("tokenizer.ggml.pre", .string("gpt-2")),
            .init("tokenizer.ggml.tokens", .strings(tokens)),
            .init("tokenizer.ggml.token_type", .integers(tokens.indices.map { $0 < control.count ? 3 : 1 })),
            .init("tokenizer.ggml.merges", .strings(merges.map { "\($0) \($1)" })),
            .init("tokenizer.ggml.bos_token_id", .uint32(1)),
            .init("tokenizer.ggml.eos_token_id", .uint32(2)),
            .init("tokenizer.ggml.unknown_token_id", .uint32(0)),
            .init("tokenizer.ggml.add_bos_token", .bool(false)),
            .init("tokenizer.chat_template", .string(Self.chatTemplate)),
        ]
    }

    private init(pieces: [String]) {
        let special = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
        let bytes = (0...255).map { (byte: UInt8) in
            "<0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) + ">"
        }
        tokens = special + bytes + pieces
        let kinds: [Int32] = [2, 3, 3, 3, 3] + bytes.map { _ in 6 } + pieces.map { _ in 1 }
        let first = special.count + bytes.count
        // Longer pieces have higher scores, so that merging prefers them.
        let scores = tokens.enumerated().map { index, piece in
            index < first ? 0 : Float(piece.count) - Float(index) / 1024
        }
        metadata = [
            .init("tokenizer.ggml.model", .string("llama")),
            .init("tokenizer.ggml.pre", .string("default")),
            .init("tokenizer.ggml.tokens", .strings(tokens)),
            .init("tokenizer.ggml.scores", .floats(scores)),
            .init("tokenizer.ggml.token_type", .integers(kinds)),
            .init("tokenizer.ggml.unknown_token_id", .uint32(0)),
            .init("tokenizer.ggml.bos_token_id", .uint32(1)),
            .init("tokenizer.ggml.eos_token_id", .uint32(2)),
            .init("tokenizer.ggml.eot_token_id", .uint32(4)),
            .init("tokenizer.ggml.add_bos_token", .bool(true)),
            .init("tokenizer.ggml.add_eos_token", .bool(false)),
            .init("tokenizer.chat_template", .string(Self.chatTemplate)),
        ]
    }

    private init(words: [String]) {
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(Character(Unicode.Scalar($0))) }
        let spelled = letters + letters.map { "##" + $0 } + words
        // As in model files: the mark is where a word begins, and not where it continues.
        tokens = special + spelled.map { $0.hasPrefix("##") ? String($0.dropFirst(2)) : "▁" + $0 }
        metadata = [
            .init("tokenizer.ggml.model", .string("bert")),
            .init("tokenizer.ggml.tokens", .strings(tokens)),
            .init("tokenizer.ggml.token_type", .integers(tokens.indices.map { $0 < special.count ? 3 : 1 })),
            .init("tokenizer.ggml.unknown_token_id", .uint32(1)),
            .init("tokenizer.ggml.bos_token_id", .uint32(2)),
            .init("tokenizer.ggml.seperator_token_id", .uint32(3)),
        ]
    }

    /// The character for a byte in GPT-2's vocabulary: printable Latin-1 characters represent themselves, and the other
    /// bytes are mapped in order to the characters from U+0100.
    private static func printable(_ byte: Int) -> String {
        let isPrintable = { (byte: Int) in (33...126) ~= byte || (161...172) ~= byte || (174...255) ~= byte }
        let scalar = isPrintable(byte) ? byte : 256 + (0..<byte).count { !isPrintable($0) }
        return Unicode.Scalar(UInt32(scalar)).map { String(Character($0)) } ?? ""
    }
}
