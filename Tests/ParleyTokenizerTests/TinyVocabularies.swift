// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// Vocabularies small enough to reason about.
enum TinyVocabularies {
    /// A byte-level vocabulary: the 256 bytes, where byte `b` has id `b`, then `tokens` in the given order.
    static func byteLevel(
        preTokenizer: String = "gpt-2", merges: [String] = [],
        adding tokens: [(String, TokenizerDescription.TokenKind)] = []
    ) -> TokenizerDescription {
        let bytes = (0..<256).map { TokenizerDescription.Token(text: spelling(ofByte: $0)) }
        let merged = merges.map { TokenizerDescription.Token(text: $0.replacing(" ", with: "")) }
        return TokenizerDescription(
            algorithm: .bytePairEncoding(preTokenizer: preTokenizer),
            tokens: bytes + merged + tokens.map { .init(text: $0.0, kind: $0.1) }, merges: merges)
    }

    /// The character that stands for a byte in GPT-2's alphabet.
    static func spelling(ofByte byte: Int) -> String {
        let printable = Array(0x21...0x7E) + Array(0xA1...0xAC) + Array(0xAE...0xFF)
        let value = printable.contains(byte) ? byte : 0x100 + (0..<byte).count { !printable.contains($0) }
        return String(UnicodeScalar(UInt32(value)).map(Character.init) ?? "?")
    }

    /// SentencePiece: unknown, beginning and end, the 256 bytes, then `words`, the first with the highest score.
    static func sentencePiece(
        _ words: [String], adding tokens: [(String, TokenizerDescription.TokenKind)] = [], addsSpacePrefix: Bool? = nil
    ) -> TokenizerDescription {
        let special: [TokenizerDescription.Token] = [
            .init(text: "<unk>", kind: .unknown), .init(text: "<s>", kind: .control),
            .init(text: "</s>", kind: .control),
        ]
        let bytes = (0..<256).map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return TokenizerDescription.Token(text: "<0x\(byte < 16 ? "0" : "")\(digits)>", kind: .byte)
        }
        let pieces = words.enumerated().map { TokenizerDescription.Token(text: $1, score: -Float($0)) }
        return TokenizerDescription(
            algorithm: .sentencePiece,
            tokens: special + bytes + pieces + tokens.map { .init(text: $0.0, kind: $0.1) },
            addsSpacePrefix: addsSpacePrefix)
    }
}

extension Tokenizer {
    /// The spellings of the tokens of `text`.
    func spellings(_ text: String, specialTokens: SpecialTokenPolicy = .asText) -> [String] {
        encode(text, specialTokens: specialTokens).map { spelling(of: $0) ?? "" }
    }
}
