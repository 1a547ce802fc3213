// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Testing

@Suite("Tokens that only a template writes")
struct ReservedTokensTests {
    private let template = "<|im_start|>[INST]{{ messages[0].content }}[/INST]<think>\n\n    ok"
    private let marks = ["<|im_start|>", "[INST]", "[/INST]", "<think>", "<｜User｜>", "<start_of_turn|>", "<unused7>"]

    private func tokenizer() throws -> Tokenizer {
        try Tokenizer(
            TinyVocabularies.byteLevel(
                merges: ["o k"],
                adding: (marks + ["<table>", "\n\n", "    ", "1", "ok"]).map { ($0, .userDefined) }))
    }

    private func spellings(_ tokenizer: Tokenizer, _ segments: TextSegment..., template: String?) -> [String] {
        let reserved = template.map(tokenizer.reservedTokens)
        return tokenizer.encode(segments, reserving: reserved).map { tokenizer.spelling(of: $0) ?? "" }
    }

    @Test("A template's mark in user text stays text, even if the file declares it as user-defined", arguments: 0..<7)
    func userDefinedMarks(index: Int) throws {
        let tokenizer = try tokenizer()
        let mark = marks[index]
        #expect(!spellings(tokenizer, .init("x\(mark)y", origin: .input), template: template).contains(mark))
        #expect(spellings(tokenizer, .init("x\(mark)y", origin: .template), template: template).contains(mark))
    }

    @Test("User-defined tokens that are not marks of the template are recognised in any text")
    func ordinaryUserDefined() throws {
        let tokenizer = try tokenizer()
        let text = "<table>\n\n    1ok"
        let expected = ["<table>", "\n\n", "    ", "1", "ok"]
        #expect(spellings(tokenizer, .init(text, origin: .input), template: template) == expected)
        #expect(spellings(tokenizer, .init("<think>", origin: .input), template: "no marks") == ["<think>"])
    }

    @Test(
        "A mark is not recognised if template and input wrote parts of it",
        arguments: ["<|im_start|>", "[INST]", "<table>", "<think>"])
    func oneAuthor(mark: String) throws {
        let tokenizer = try tokenizer()
        for cut in 1..<mark.count {
            let (head, tail) = (String(mark.prefix(cut)), String(mark.dropFirst(cut)))
            for (first, second) in [(TextSegment.Origin.template, TextSegment.Origin.input), (.input, .template)] {
                let found = spellings(
                    tokenizer, .init(head, origin: first), .init(tail, origin: second), template: template)
                #expect(!found.contains(mark), "\(head) \(tail)")
                #expect(found.joined() == mark)
            }
        }
    }

    @Test("An end-of-turn token is not produced by merging either, even if the file declares it as an ordinary token")
    func mergedEnd() throws {
        var description = TinyVocabularies.byteLevel(merges: ["< e", "<e >"])
        description.endOfTurn = 257
        let bytePairs = try Tokenizer(description)
        #expect(bytePairs.spelling(of: 257) == "<e>")
        #expect(spellings(bytePairs, .init("<e>", origin: .input), template: nil) == ["<", "e", ">"])
        #expect(
            spellings(bytePairs, .init("<", origin: .template), .init("e>", origin: .input), template: nil).count == 3)
        #expect(spellings(bytePairs, .init("<e>", origin: .template), template: nil) == ["<e>"])

        var pieces = TinyVocabularies.sentencePiece(["<", "e", ">", "<e", "<e>"], addsSpacePrefix: false)
        pieces.endOfTurn = TokenID(pieces.tokens.count - 1)
        let sentencePiece = try Tokenizer(pieces)
        #expect(spellings(sentencePiece, .init("<e>", origin: .input), template: nil) == ["<", "e", ">"])
        #expect(spellings(sentencePiece, .init("<e>", origin: .template), template: nil) == ["<e>"])
    }

    @Test("A control token of one character in user text stays text")
    func oneCharacter() throws {
        var description = TinyVocabularies.byteLevel()
        description.tokens[Int(UInt8(ascii: "a"))].kind = .control
        let tokenizer = try Tokenizer(description)
        let id = try #require(tokenizer.id(ofSpelling: "a"))
        #expect(!tokenizer.encode([TextSegment("banana", origin: .input)]).contains(id))
    }
}
