// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Testing

@Suite("SentencePiece")
struct SentencePieceEncoderTests {
    @Test("The pair of highest score merges first")
    func order() throws {
        let tokenizer = try Tokenizer(
            TinyVocabularies.sentencePiece(["bc", "ab", "abc", "a", "b", "c"], addsSpacePrefix: false))
        #expect(tokenizer.spellings("abc") == ["abc"])
        #expect(tokenizer.spellings("abab") == ["ab", "ab"])
        #expect(tokenizer.spellings("abbc") == ["ab", "bc"])
    }

    @Test("A space is added before a text and removed by decoding, unless the file says otherwise")
    func spacePrefix() throws {
        let words = ["▁a", "▁", "a"]
        let prefixed = try Tokenizer(TinyVocabularies.sentencePiece(words))
        #expect(prefixed.spellings("a a") == ["▁a", "▁a"])
        #expect(prefixed.decode(prefixed.encode("a a")) == "a a")
        #expect(prefixed.decode(prefixed.encode(" a")) == " a")
        let plain = try Tokenizer(TinyVocabularies.sentencePiece(words, addsSpacePrefix: false))
        #expect(plain.spellings("a a") == ["a", "▁a"])
        #expect(plain.decode(plain.encode(" a")) == " a")
    }

    @Test("What follows a special token begins with a space again")
    func spaceAfterSpecial() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(["▁a", "a"]))
        #expect(tokenizer.spellings("a<s>a", specialTokens: .parsed) == ["▁a", "<s>", "▁a"])
        #expect(tokenizer.spellings("", specialTokens: .parsed) == [])
    }

    @Test("Text that the vocabulary cannot represent is written as byte tokens")
    func byteFallback() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(["a"], addsSpacePrefix: false))
        #expect(tokenizer.spellings("aé") == ["a", "<0xC3>", "<0xA9>"])
        #expect(tokenizer.decode(tokenizer.encode("aé😀")) == "aé😀")
        #expect(tokenizer.encode(bytes: [0xFF, 0xE2, 0x82]) == [0x102, 0xE5, 0x85])
    }

    @Test("Without byte tokens the unknown token is used")
    func unknown() throws {
        let tokens = ["<unk>", "a"].map { TokenizerDescription.Token(text: $0) }
        let description = TokenizerDescription(
            algorithm: .sentencePiece, tokens: tokens, unknown: 0, addsSpacePrefix: false)
        #expect(try Tokenizer(description).encode("ab") == [1, 0])
    }

    @Test("Scores may be any floating-point values")
    func oddScores() throws {
        var description = TinyVocabularies.sentencePiece(["a", "b", "c", "ab", "bc"], addsSpacePrefix: false)
        description.tokens[description.tokens.count - 2].score = .nan
        description.tokens[description.tokens.count - 1].score = -.infinity
        #expect(try Tokenizer(description).spellings("abc") == ["a", "bc"])
        description.tokens[description.tokens.count - 2].score = 0
        description.tokens[description.tokens.count - 1].score = -0.0
        #expect(try Tokenizer(description).spellings("abc") == ["ab", "c"])
    }

    @Test("Text never becomes a control token by merging")
    func controlTokens() throws {
        let tokenizer = try Tokenizer(
            TinyVocabularies.sentencePiece(["<", "s", "<s", ">"], addsSpacePrefix: false))
        #expect(tokenizer.spellings("<s>") == ["<s", ">"])
        #expect(tokenizer.spellings("<s>", specialTokens: .parsed) == ["<s>"])
    }

    @Test("A megabyte of one letter is tokenised quickly")
    func longText() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(["aa", "aaaa", "a"], addsSpacePrefix: false))
        #expect(tokenizer.encode(String(repeating: "a", count: 1 << 20)).count == 1 << 18)
    }

    @Test("With incomplete vocabularies all ids are still valid", arguments: [nil, -1, 3, .max, .min] as [TokenID?])
    func idsWithinTheVocabulary(unknown: TokenID?) throws {
        let tokens = ["<unk>", "a", "<0x62>"].map { TokenizerDescription.Token(text: $0) }
        let description = TokenizerDescription(algorithm: .sentencePiece, tokens: tokens, unknown: unknown)
        let ids = try Tokenizer(description).encode(bytes: Array(UInt8.min...UInt8.max))
        #expect(ids.allSatisfy { (0..<3).contains($0) })
    }
}
