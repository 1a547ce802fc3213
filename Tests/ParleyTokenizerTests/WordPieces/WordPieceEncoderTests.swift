// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport
import ParleyTokenizer
import Testing

@Suite("WordPiece")
struct WordPieceEncoderTests {
    /// Ids recorded from the package `tokenizers` by `scripts/reference/embeddings/record_word_pieces.py`.
    struct Golden: Decodable {
        var vocabulary: [String]
        var texts: [String]
        var ids: [[TokenID]]

        init() throws {
            let url = References.goldens.appendingPathComponent("WordPieces/ids.json")
            self = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: url))
        }
    }

    /// A tokenizer over tokens in BERT's spelling, `##` where a word continues, which is converted as model files do it.
    private func tokenizer(
        _ vocabulary: [String], beginningOfText: TokenID? = nil, endOfText: TokenID? = nil
    ) throws -> Tokenizer {
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        let tokens = vocabulary.map { token in
            if special.contains(token) { return TokenizerDescription.Token(text: token, kind: .control) }
            // By scalars: a combining mark after `##` is one character with the second of them.
            let continues = token.unicodeScalars.starts(with: "##".unicodeScalars)
            return .init(text: continues ? String(token.unicodeScalars.dropFirst(2)) : "▁" + token)
        }
        return try Tokenizer(
            TokenizerDescription(
                algorithm: .wordPiece, tokens: tokens, beginningOfText: beginningOfText, endOfText: endOfText))
    }

    @Test("Ids are those of the reference implementation, in many languages")
    func golden() throws {
        let golden = try Golden()
        let tokenizer = try tokenizer(golden.vocabulary)
        try #require(golden.texts.count == golden.ids.count && golden.texts.count > 70)
        for (text, ids) in zip(golden.texts, golden.ids) {
            #expect(tokenizer.encode(text) == ids, "\(text.debugDescription)")
        }
    }

    @Test("Text becomes no control token, and invalid UTF-8 is left out")
    func untrusted() throws {
        let tokenizer = try tokenizer(["[CLS]", "[SEP]", "[UNK]", "[", "]", "cls", "sep", "ab"])
        #expect(tokenizer.spellings("[CLS]ab[SEP]") == ["▁[", "▁cls", "▁]", "▁ab", "▁[", "▁sep", "▁]"])
        #expect(tokenizer.encode(bytes: [0x61, 0xFF, 0xFE, 0x62, 0xE2]) == [7])
        #expect(tokenizer.encode(bytes: [UInt8](repeating: 0x80, count: 1_000)).isEmpty)
    }

    @Test("A text begins and ends with the tokens that the file names, or those of BERT")
    func marks() throws {
        let named = try tokenizer(["[CLS]", "[SEP]", "a", "b"], beginningOfText: 2, endOfText: 3)
        #expect(named.beginningOfText == 2 && named.endOfText == 3)
        let usual = try tokenizer(["a", "[SEP]", "[CLS]"])
        #expect(usual.beginningOfText == 2 && usual.endOfText == 1)
        #expect(usual.addsBeginningOfText && usual.addsEndOfText)
        #expect(usual.encode("a") == [0])
    }

    @Test("Decoding joins the parts of words, with a space between words")
    func decoding() throws {
        let tokenizer = try tokenizer(["[UNK]", "[CLS]", "embed", "##ding", "##s", "are", "vectors"])
        #expect(tokenizer.decode(tokenizer.encode("Embeddings are vectors")) == "embeddings are vectors")
    }

    @Test("A vocabulary without the unknown token leaves unknown words out")
    func withoutUnknown() throws {
        #expect(try tokenizer(["a"]).encode("a b a") == [0, 0])
    }

    @Test("A word of a million characters takes no longer than reading it")
    func longWords() throws {
        let tokenizer = try tokenizer(["[UNK]", "a"] + (2..<200).map { "##" + String(repeating: "a", count: $0) })
        let word = String(repeating: "a", count: 1_000_000)
        #expect(tokenizer.encode(word) == [0])
        // Words of a hundred characters, none of whose parts is a token, are the most work a character can cause.
        let hostile = String(repeating: String(repeating: "b", count: 100) + " ", count: 2_000)
        #expect(tokenizer.encode(hostile) == Array(repeating: 0, count: 2_000))
    }

    @Test("Reading a long text ends when it is told to")
    func cancelling() throws {
        let tokenizer = try tokenizer(["[UNK]", "a"])
        let text = TextSegment(String(repeating: "a ", count: 500_000), origin: .input)
        var calls = 0
        let tokens = tokenizer.encode([text], reserving: nil) {
            calls += 1
            return false
        }
        #expect(tokens == nil && calls == 1)
    }
}
