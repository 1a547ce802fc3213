// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Testing

@Suite("Vocabulary")
struct VocabularyTests {
    private func endOfGeneration(_ texts: [String], kind: TokenizerDescription.TokenKind = .control) throws -> [String]
    {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(adding: texts.map { ($0, kind) }))
        return tokenizer.endOfGeneration.sorted().compactMap(tokenizer.spelling)
    }

    @Test("Tokens that end a generation are known by their text")
    func wellKnownTexts() throws {
        #expect(
            try endOfGeneration(["<|im_start|>", "<|im_end|>", "<end_of_turn>", "<|fim_pad|>", "<|fim_prefix|>"])
                == ["<|im_end|>", "<end_of_turn>", "<|fim_pad|>"])
    }

    @Test("A token known by its text is a control token whatever the file calls it")
    func controlByText() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(adding: [("<|im_end|>", .normal)]))
        #expect(tokenizer.isControl(256))
        #expect(tokenizer.encode("<|im_end|>", specialTokens: .parsed) == [256])
        #expect(tokenizer.encode("<|im_end|>").count == 10)
    }

    @Test("Tokens that the file names end a generation")
    func namedTokens() throws {
        var description = TinyVocabularies.byteLevel(adding: [("a1", .control), ("b2", .control), ("c3", .control)])
        description.endOfText = 256
        description.endOfTurn = 257
        description.fillInMiddleEnds = [258]
        #expect(try Tokenizer(description).endOfGeneration == [256, 257, 258])
    }

    @Test("If tokens for return and call end a generation, the end of a channel does not")
    func harmony() throws {
        #expect(try endOfGeneration(["<|end|>", "<|return|>", "<|call|>"]) == ["<|return|>", "<|call|>"])
        #expect(try endOfGeneration(["<|end|>", "<|return|>"]) == ["<|end|>", "<|return|>"])
    }

    @Test("If a tool's response ends a generation, </s> does not")
    func gemmaTags() throws {
        #expect(try endOfGeneration(["</s>", "<|tool_response>"]) == ["<|tool_response>"])
        #expect(try endOfGeneration(["</s>", "<turn|>"]) == ["</s>", "<turn|>"])
    }

    @Test("A token without text has no effect")
    func emptyToken() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(adding: [("", .control), ("", .userDefined)]))
        #expect(tokenizer.encode("ab", specialTokens: .parsed) == [97, 98])
        #expect(tokenizer.spelling(of: 257) == "[EMPTY_257]")
    }

    @Test("Of two tokens with the same text the later one is used")
    func duplicateToken() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(adding: [("<x>", .control), ("<x>", .control)]))
        #expect(tokenizer.id(ofSpelling: "<x>") == 257)
    }

    @Test("All tokens of a large vocabulary are found")
    func manyTokens() throws {
        let words = (0..<20_000).map { "w\($0)x" }
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(words))
        #expect(words.indices.allSatisfy { tokenizer.id(ofSpelling: words[$0]) == TokenID($0 + 259) })
        #expect(tokenizer.id(ofSpelling: "w20000x") == nil)
    }

    @Test(
        "Tokens that differ only in their last character are found as quickly as others",
        arguments: ["a", "aaaaaaaaaaaaa"])
    func similarTokens(beginning: String) throws {
        let texts = (0x800..<0xD800).compactMap(UnicodeScalar.init).map { beginning + String($0) }
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(texts))
        #expect(tokenizer.id(ofSpelling: texts[40_000]) == 40_259)
    }

    @Test("Tokens and merges constructed to collide in the hash table are refused", arguments: [true, false])
    func crafted(isOfTokens: Bool) throws {
        // Texts of eight letters whose hashes agree, as the table counts.
        var texts: [String] = []
        var number: UInt64 = 0
        while texts.count < 8_000 {
            number += 1
            let letters = (0..<8).map { UInt64(97 + number >> (4 * $0) & 15) }
            let head = letters.enumerated().reduce(0) { $0 | $1.element << UInt64(8 * $1.offset) }
            var hash = (head ^ 8) &* 0x9E37_79B9_7F4A_7C15
            hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
            guard (hash ^ hash >> 32) & 0x3FFF < 64 else { continue }
            texts.append(String(decoding: letters.map { UInt8($0) }, as: UTF8.self))
        }
        var description = TinyVocabularies.byteLevel()
        if isOfTokens {
            description.tokens += texts.map { .init(text: $0) }
        } else {
            description.merges = texts.map { "\($0.prefix(4)) \($0.suffix(4))" }
        }
        let error = #expect(throws: TokenizerError.self) { try Tokenizer(description) }
        #expect(error?.code == .invalidVocabulary)
    }
}
