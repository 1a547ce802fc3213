// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Testing

@Suite("Tokenizer")
struct TokenizerTests {
    @Test("A byte-level model begins a text with its token only where the file or the pre-tokenizer says so")
    func beginningOfTextByteLevel() throws {
        var description = TinyVocabularies.byteLevel(adding: [("<s>", .control)])
        description.beginningOfText = 256
        #expect(try !Tokenizer(description).addsBeginningOfText)
        description.addsBeginningOfText = true
        #expect(try Tokenizer(description).addsBeginningOfText)
        description.algorithm = .bytePairEncoding(preTokenizer: "llama-bpe")
        description.addsBeginningOfText = nil
        #expect(try Tokenizer(description).addsBeginningOfText)
        description.addsBeginningOfText = false
        #expect(try !Tokenizer(description).addsBeginningOfText)
    }

    @Test("A SentencePiece model has Llama's defaults where the file says nothing")
    func sentencePieceDefaults() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(["a"]))
        #expect(tokenizer.addsBeginningOfText && !tokenizer.addsEndOfText && tokenizer.addsSpacePrefix)
        #expect(tokenizer.beginningOfText == 1)
        #expect(tokenizer.endOfText == 2)
        #expect(tokenizer.endOfGeneration == [2])
    }

    @Test("Ids beyond the vocabulary are ignored and have neither text nor kind")
    func idsBeyondTheVocabulary() throws {
        var description = TinyVocabularies.byteLevel()
        description.beginningOfText = 256
        description.endOfText = -1
        description.endOfTurn = .max
        description.addsBeginningOfText = true
        let tokenizer = try Tokenizer(description)
        #expect(tokenizer.beginningOfText == nil && tokenizer.endOfText == nil && !tokenizer.addsBeginningOfText)
        #expect(tokenizer.endOfGeneration.isEmpty)
        for id in [-1, 256, TokenID.max, .min] {
            #expect(tokenizer.spelling(of: id) == nil && tokenizer.bytes(of: id).isEmpty && !tokenizer.isControl(id))
        }
    }

    @Test("Spellings and ids are mapped in both directions")
    func spellings() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.byteLevel(merges: ["a b"], adding: [("<x>", .control)]))
        #expect(tokenizer.vocabularySize == 258)
        #expect(tokenizer.id(ofSpelling: "ab") == 256)
        #expect(tokenizer.spelling(of: 257) == "<x>")
        #expect(tokenizer.isControl(257) && !tokenizer.isControl(256))
        #expect(tokenizer.id(ofSpelling: "nothing") == nil)
    }

    @Test("An unknown pre-tokenizer is an error that names it")
    func unknownPreTokenizer() throws {
        let error = #expect(throws: TokenizerError.self) {
            try Tokenizer(TinyVocabularies.byteLevel(preTokenizer: "klingon"))
        }
        #expect(error?.code == .unknownPreTokenizer)
        #expect(error?.message.contains("'klingon'") == true)
    }

    @Test("An empty vocabulary is an error")
    func emptyVocabulary() throws {
        let error = #expect(throws: TokenizerError.self) {
            try Tokenizer(TokenizerDescription(algorithm: .sentencePiece, tokens: []))
        }
        #expect(error?.code == .invalidVocabulary)
    }
}
