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

    @Test("Where a return and a call end a generation, the end of a channel does not")
    func harmony() throws {
        #expect(try endOfGeneration(["<|end|>", "<|return|>", "<|call|>"]) == ["<|return|>", "<|call|>"])
        #expect(try endOfGeneration(["<|end|>", "<|return|>"]) == ["<|end|>", "<|return|>"])
    }

    @Test("Where a tool's response ends a generation, </s> is a tag like any other")
    func gemmaTags() throws {
        #expect(try endOfGeneration(["</s>", "<|tool_response>"]) == ["<|tool_response>"])
        #expect(try endOfGeneration(["</s>", "<turn|>"]) == ["</s>", "<turn|>"])
    }

    @Test("A token without text disturbs nothing")
    func emptyToken() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(adding: [("", .control), ("", .userDefined)]))
        #expect(tokenizer.encode("ab", specialTokens: .parsed) == [97, 98])
        #expect(tokenizer.spelling(of: 257) == "[EMPTY_257]")
    }

    @Test("Of two tokens of one text the later is used")
    func duplicateToken() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(adding: [("<x>", .control), ("<x>", .control)]))
        #expect(tokenizer.id(ofSpelling: "<x>") == 257)
    }

    @Test("Many tokens are all found again")
    func manyTokens() throws {
        let words = (0..<20_000).map { "w\($0)x" }
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(words))
        #expect(words.indices.allSatisfy { tokenizer.id(ofSpelling: words[$0]) == TokenID($0 + 259) })
        #expect(tokenizer.id(ofSpelling: "w20000x") == nil)
    }
}
