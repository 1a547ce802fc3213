// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Special tokens in text")
struct SpecialTokenPartitionTests {
    private let tokenizer: Tokenizer

    init() throws {
        tokenizer = try Tokenizer(
            TinyVocabularies.byteLevel(
                merges: ["a b", "b a"],
                adding: [
                    ("<|a|>", .control), ("<|a|><|b|>", .control), ("<|b|>", .control), ("  ", .userDefined),
                    ("    ", .userDefined), ("<think>", .userDefined), ("<unk>", .unknown),
                ]))
    }

    @Test("Control tokens count only when asked for")
    func policy() {
        #expect(tokenizer.spellings("x<|a|>y", specialTokens: .parsed) == ["x", "<|a|>", "y"])
        #expect(tokenizer.spellings("x<|a|>y") == ["x", "<", "|", "a", "|", ">", "y"])
        #expect(tokenizer.spellings("<unk>", specialTokens: .parsed) == ["<unk>"])
        #expect(tokenizer.spellings("<unk>").count == 5)
    }

    @Test("User-defined tokens always count")
    func userDefined() {
        #expect(tokenizer.spellings("a<think>b") == ["a", "<think>", "b"])
    }

    @Test("The longest token takes precedence, wherever it is, then the leftmost one")
    func longestFirst() {
        #expect(tokenizer.spellings("<|a|><|b|><|b|>", specialTokens: .parsed) == ["<|a|><|b|>", "<|b|>"])
        #expect(tokenizer.spellings("       ") == ["    ", "  ", "Ġ"])
        #expect(tokenizer.spellings("<|a<|b|>|>", specialTokens: .parsed) == ["<", "|", "a", "<|b|>", "|", ">"])
    }

    @Test("A token that is too long to be looked for at each place of a text is refused")
    func longToken() throws {
        func tokenizer(_ length: Int) throws -> Tokenizer {
            try Tokenizer(TinyVocabularies.byteLevel(adding: [(String(repeating: "a", count: length), .control)]))
        }
        let text = "b" + String(repeating: "a", count: 512)
        #expect(try tokenizer(512).encode(text, specialTokens: .parsed) == [98, 256])
        let error = #expect(throws: TokenizerError.self) { try tokenizer(513) }
        #expect(error?.code == .invalidVocabulary)
    }

    @Test("Text does not merge across a special token")
    func noMergeAcross() {
        #expect(tokenizer.spellings("ab") == ["ab"])
        #expect(tokenizer.spellings("a<|b|>b", specialTokens: .parsed) == ["a", "<|b|>", "b"])
    }

    @Test("Phi-3's special tokens absorb the white space that follows")
    func stripping() throws {
        var description = TinyVocabularies.byteLevel(adding: [("<|user|>", .control), ("<s>", .control)])
        description.modelName = "Phi-3-mini"
        let tokenizer = try Tokenizer(description)
        #expect(
            tokenizer.spellings("a <|user|> \n b<s> c", specialTokens: .parsed).prefix(4) == [
                "a", "Ġ", "<|user|>", "b",
            ])
        #expect(tokenizer.spellings("<s> c", specialTokens: .parsed) == ["<s>", "Ġ", "c"])
        #expect(tokenizer.spellings("<|user|>  ", specialTokens: .parsed) == ["<|user|>"])
    }

    @Test("A mask token may absorb the white space before it")
    func strippingLeft() throws {
        let description = TinyVocabularies.byteLevel(preTokenizer: "jina-v2-code", adding: [("<mask>", .control)])
        let tokenizer = try Tokenizer(description)
        #expect(tokenizer.spellings("a \t<mask> b", specialTokens: .parsed) == ["a", "<mask>", "Ġ", "b"])
    }

    @Test("Every arrangement of special tokens gives the same as searching the text once for each token")
    func againstSearchingForEach() {
        let texts = ["<|a|>", "<|b|>", "<|a|><|b|>", " ", "  ", "   ", "<think>", "<|", "|>", "a", "b"]
        var random = SplitMix64(seed: 7)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                texts[Int.random(in: 0..<texts.count, using: &random)]
            }.joined()
            #expect(tokenizer.spellings(text, specialTokens: .parsed) == reference(text), "\(text)")
        }
    }

    /// Splits at each token in turn, the longest first, as llama.cpp does.
    private func reference(_ text: String) -> [String] {
        var parts: [(text: String, isToken: Bool)] = [(text, false)]
        for token in ["<|a|><|b|>", "<think>", "<|a|>", "<|b|>", "    ", "  "] {
            parts = parts.flatMap { part -> [(text: String, isToken: Bool)] in
                if part.isToken { return [part] }
                let pieces = part.text.split(separator: token, omittingEmptySubsequences: false)
                return Array(pieces.map { [(String($0), false)] }.joined(separator: [(token, true)]))
            }
        }
        return parts.flatMap { $0.isToken ? [$0.text] : tokenizer.spellings($0.text) }
    }
}
