// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Byte pair encoding")
struct BytePairEncoderTests {
    @Test("The pair of lowest rank merges first, the leftmost of equals")
    func order() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(merges: ["b c", "a b", "a bc", "a a"]))
        #expect(tokenizer.spellings("abc") == ["abc"])
        #expect(tokenizer.spellings("abab") == ["ab", "ab"])
        #expect(tokenizer.spellings("aaa") == ["aa", "a"])
    }

    @Test("Any bytes can be tokenised, and decoding gives the text that llama.cpp reads")
    func anyBytes() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(merges: ["Ã ©"]))
        #expect(tokenizer.spellings("é") == ["Ã©"])
        let invalid: [UInt8] = [0x61, 0xFF, 0xE2, 0x82, 0x20]
        #expect(tokenizer.decode(tokenizer.encode(bytes: invalid)) == "a\u{FFFD}\u{FFFD}\u{FFFD} ")
        #expect(tokenizer.encode(bytes: [0xC0, 0x80]) == [0])
    }

    @Test("A word that is a token is not merged where the pre-tokenizer says so")
    func ignoredMerges() throws {
        var description = TinyVocabularies.byteLevel(merges: ["a b"], adding: [("abc", .normal)])
        #expect(try Tokenizer(description).spellings("abc") == ["ab", "c"])
        description.algorithm = .bytePairEncoding(preTokenizer: "llama-bpe")
        #expect(try Tokenizer(description).spellings("abc") == ["abc"])
    }

    @Test("A merge whose result is not a token can be an intermediate step; otherwise it is split into characters")
    func mergesBeyondTheVocabulary() throws {
        var description = TinyVocabularies.byteLevel(adding: [("abc", .normal)])
        description.merges = ["a b", "ab c"]
        let tokenizer = try Tokenizer(description)
        #expect(tokenizer.spellings("abc") == ["abc"])
        #expect(tokenizer.spellings("abd") == ["a", "b", "d"])
    }

    @Test("Text never becomes a control token by merging")
    func controlTokens() throws {
        var description = TinyVocabularies.byteLevel(preTokenizer: "llama-bpe", adding: [("ab", .control)])
        description.merges = ["a b"]
        #expect(try Tokenizer(description).encode("ab") == [97, 98])
    }

    @Test("Entries that are not pairs are ignored")
    func badMerges() throws {
        var description = TinyVocabularies.byteLevel(merges: ["a b"])
        description.merges = ["", " ", "ab", "  ", "a b", " b"]
        #expect(try Tokenizer(description).spellings("ab") == ["ab"])
    }

    @Test("Gemma 4 spells text in UTF-8 with ▁ for the space, keeps runs of line feeds, and falls back to bytes")
    func gemma4() throws {
        var description = TinyVocabularies.sentencePiece(["▁", "a", "é", "\n", "\n\n\n", "▁a"])
        description.algorithm = .bytePairEncoding(preTokenizer: "gemma4")
        description.merges = ["▁ a"]
        description.beginningOfText = 1
        description.addsBeginningOfText = false
        let tokenizer = try Tokenizer(description)
        #expect(tokenizer.addsBeginningOfText)
        #expect(
            tokenizer.spellings(" aé\n\n\n\n\n\u{E0}") == ["▁a", "é", "\n", "\n", "\n", "\n", "\n", "<0xC3>", "<0xA0>"])
        #expect(tokenizer.spellings("a\n\n\na") == ["a", "\n\n\n", "a"])
        #expect(tokenizer.decode(tokenizer.encode(" aà\n")) == " aà\n")
    }

    @Test("A megabyte of one letter is tokenised quickly")
    func longWord() throws {
        let merges = ["a a", "aa aa", "aaaa aaaa"]
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(merges: merges))
        let tokens = tokenizer.encode(String(repeating: "a", count: 1 << 20))
        #expect(tokens == [TokenID](repeating: 258, count: 1 << 17))
    }

    @Test("Merging with a heap gives the same result as repeatedly merging the best pair")
    func againstTheDefinition() throws {
        let merges = [
            "a b", "b a", "ab ab", "b b", "a a", "aa b", "ba b", "bb a", "abab a", "c a", "b c", "ca b", "a bc",
            "aab c",
        ]
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(merges: merges))
        var random = SplitMix64(seed: 5)
        for _ in 0..<500 {
            let word = (0..<Int.random(in: 1...24, using: &random)).map { _ in
                ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
            }
            #expect(tokenizer.spellings(word.joined()) == Self.definition(word, merges), "\(word.joined())")
        }
    }

    private static func definition(_ word: [String], _ merges: [String]) -> [String] {
        var word = word
        while true {
            let pairs = zip(word, word.dropFirst()).map { "\($0) \($1)" }
            guard let best = merges.first(where: pairs.contains), let index = pairs.firstIndex(of: best) else {
                return word
            }
            word.replaceSubrange(index...index + 1, with: [word[index] + word[index + 1]])
        }
    }

    @Test("With incomplete vocabularies all ids are still valid", arguments: ["gpt-2", "gemma4"])
    func idsWithinTheVocabulary(preTokenizer: String) throws {
        let description = TokenizerDescription(
            algorithm: .bytePairEncoding(preTokenizer: preTokenizer),
            tokens: ["a", "ab", "<0x62>"].map { .init(text: $0) },
            merges: ["a b", "b c", "ab x", "no such", "a ", " a", "ab ab"])
        let tokenizer = try Tokenizer(description)
        for text in ["abab", "no such bc", "é😀", "abx"] {
            #expect(tokenizer.encode(text).allSatisfy { (0..<3).contains($0) })
        }
        #expect(tokenizer.encode("ab") == [1])
    }
}
