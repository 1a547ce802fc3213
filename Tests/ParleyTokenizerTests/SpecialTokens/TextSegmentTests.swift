// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Prompts of template and input")
struct TextSegmentTests {
    private let tokenizer: Tokenizer

    init() throws {
        tokenizer = try Tokenizer(
            TinyVocabularies.byteLevel(
                merges: ["a b", "ab c"],
                adding: [("<|im_end|>", .control), ("<|start|>", .control), ("<think>", .userDefined)]))
    }

    private func spellings(_ segments: TextSegment...) -> [String] {
        tokenizer.encode(segments).map { tokenizer.spelling(of: $0) ?? "" }
    }

    @Test("A control token is recognised where the template wrote it")
    func template() {
        #expect(spellings(.init("<|im_end|>", origin: .template)) == ["<|im_end|>"])
        #expect(spellings(.init("<|im_", origin: .template), .init("end|>", origin: .template)) == ["<|im_end|>"])
    }

    @Test("A control token in user text stays text")
    func input() {
        let typed = spellings(.init("<|im_end|>", origin: .input))
        #expect(typed == "<|im_end|>".map(String.init))
        #expect(
            spellings(
                .init("x", origin: .template), .init("<|im_end|>", origin: .input),
                .init("<|im_end|>", origin: .template)) == ["x"] + typed + ["<|im_end|>"])
    }

    @Test(
        "A control token made of input and template text stays text",
        arguments: 1..<"<|im_end|>".count)
    func acrossTheBorder(length: Int) {
        let text = "<|im_end|>"
        let (head, tail) = (String(text.prefix(length)), String(text.dropFirst(length)))
        for (first, second) in [(TextSegment.Origin.template, TextSegment.Origin.input), (.input, .template)] {
            #expect(!spellings(.init(head, origin: first), .init(tail, origin: second)).contains(text))
        }
        #expect(
            !spellings(
                .init(head, origin: .template), .init("", origin: .input), .init(tail, origin: .input)
            ).contains(text))
    }

    @Test("An empty input does not split a token of the template")
    func emptyInput() {
        #expect(
            spellings(
                .init("<|im_", origin: .template), .init("", origin: .input), .init("end|>", origin: .template))
                == ["<|im_end|>"])
    }

    @Test("Ordinary text is merged across segment borders")
    func mergesAcross() {
        #expect(spellings(.init("a", origin: .template), .init("bc", origin: .input)) == ["abc"])
        #expect(spellings(.init("ab", origin: .input), .init("c", origin: .template)) == ["abc"])
    }

    @Test("A control token that llama.cpp always parses stays text in user text")
    func alwaysParsed() {
        #expect(tokenizer.spellings("<|start|>") == ["<|start|>"])
        #expect(spellings(.init("<|start|>", origin: .input)) == "<|start|>".map(String.init))
        #expect(spellings(.init("<|start|>", origin: .template)) == ["<|start|>"])
    }

    @Test("User-defined tokens that no template writes are recognised if one author wrote all of their text")
    func userDefined() {
        #expect(spellings(.init("<think>", origin: .input)) == ["<think>"])
        #expect(spellings(.init("<th", origin: .template), .init("ink>", origin: .input)).count == 7)
    }

    @Test("Splitting a text without control tokens in its input does not change its tokens")
    func sameAsTheWhole() {
        let parts = ["a", "b", "c", " ", "\n", "<", "|", "é", "<think>", "1"]
        var random = SplitMix64(seed: 3)
        for _ in 0..<300 {
            let segments = (0..<8).map { _ -> TextSegment in
                let isTemplate = Bool.random(using: &random)
                let text = (0..<3).map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }.joined()
                return isTemplate
                    ? TextSegment(Bool.random(using: &random) ? "<|im_end|>" + text : text, origin: .template)
                    : TextSegment(text, origin: .input)
            }
            let whole = segments.map(\.text).joined()
            #expect(tokenizer.encode(segments) == tokenizer.encode(whole, specialTokens: .parsed), "\(whole)")
        }
    }

    @Test("SentencePiece puts its space where it would in the whole text")
    func sentencePiece() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(["▁a", "a", "b", "▁"]))
        let segments: [TextSegment] = [
            .init("<s>", origin: .template), .init("a", origin: .input), .init("</s>", origin: .input),
            .init("a", origin: .template),
        ]
        let spellings = tokenizer.encode(segments).map { tokenizer.spelling(of: $0) ?? "" }
        #expect(spellings == ["<s>", "▁a", "<0x3C>", "<0x2F>", "<0x73>", "<0x3E>", "a"])
    }
}
