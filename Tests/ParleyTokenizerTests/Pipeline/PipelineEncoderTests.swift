// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Testing

@Suite("PipelineEncoder")
struct PipelineEncoderTests {
    /// A tokenizer whose tokens are the unknown one, 0, and the letters a, 1, and b, 2.
    private func tokenizer(
        _ normalizers: [TextNormalizer], _ splitters: [TextSplitter] = [],
        adding tokens: [TokenizerPipeline.AddedToken] = []
    ) throws -> Tokenizer {
        var options = TokenizerPipeline.BytePairOptions()
        options.unknown = 0
        let pipeline = TokenizerPipeline(
            normalizers: normalizers, splitters: splitters, model: .bytePairs(options), addedTokens: tokens)
        return try Tokenizer(
            TokenizerDescription(algorithm: .pipeline(pipeline), tokens: ["?", "a", "b"].map { .init(text: $0) }))
    }

    private static let doublings = Array(repeating: TextNormalizer.replace(SplitPattern(text: "a"), "aa"), count: 40)

    @Test("Steps that would make a text more than 64 times as long are left out")
    func growth() throws {
        // The eighth of the doublings would make it 258 characters long, of 256 allowed.
        let doubled: [TokenID] = [2] + Array(repeating: 1, count: 128) + [2]
        #expect(try tokenizer(Self.doublings).encode("bab") == doubled)
        let prefix = String(repeating: "a", count: 1_000)
        #expect(try tokenizer([.prepend(prefix), .replace(SplitPattern(text: "b"), "a")]).encode("b") == [1])
    }

    @Test("Marks are put in order, but no more than 256 together")
    func marks() throws {
        var options = TokenizerPipeline.BytePairOptions()
        options.unknown = 0
        let pipeline = TokenizerPipeline(normalizers: [.unicode(.nfd)], model: .bytePairs(options))
        let tokens = ["?", "\u{300}", "\u{316}"].map { TokenizerDescription.Token(text: $0) }
        let tokenizer = try Tokenizer(TokenizerDescription(algorithm: .pipeline(pipeline), tokens: tokens))
        func text(_ count: Int) -> String {
            String(repeating: "\u{300}", count: count) + String(repeating: "\u{316}", count: count)
        }
        #expect(tokenizer.encode(text(2)) == [2, 2, 1, 1])
        let runs: [(id: TokenID, count: Int)] = [(1, 256), (2, 212), (1, 44), (2, 88)]
        #expect(tokenizer.encode(text(300)) == runs.flatMap { Array(repeating: $0.id, count: $0.count) })
    }

    @Test("A set of thousands of characters counts as many steps of matching")
    func largeSets() throws {
        let text = String(repeating: "b", count: 1_000) + "7"
        func tokens(_ others: String) throws -> [TokenID] {
            let pattern = try SplitPattern(expression: "[\(others)b]*q|\\p{N}")
            return try tokenizer([], [.pattern(pattern, .removed, isInverted: false)]).encode(text)
        }
        let letters = [TokenID](repeating: 2, count: 1_000)
        #expect(try tokens("") == letters)
        // The steps end before the number is reached, which is therefore no match.
        let many = (0x4E00..<0x4E00 + 9_000).compactMap(Unicode.Scalar.init)
        #expect(try tokens(String(String.UnicodeScalarView(many))) == letters + [0])
    }

    @Test("A token is a byte only if two digits spell it")
    func spelledBytes() throws {
        let pipeline = TokenizerPipeline(
            model: .words(unknown: nil), decoder: .spaces(mark: "_", stripsFirst: false))
        let texts = ["<0x0A>", "<0xc3>", "<0x+A>", "<0xA>", "<0x00A>"]
        let tokenizer = try Tokenizer(
            TokenizerDescription(algorithm: .pipeline(pipeline), tokens: texts.map { .init(text: $0) }))
        let others = texts.dropFirst(2).map { Array($0.utf8) }
        #expect(texts.indices.map { tokenizer.bytes(of: TokenID($0)) } == [[0x0A], [0xC3]] + others)
    }

    @Test("Steps of splitting do not make a text grow without bound either")
    func splitterGrowth() throws {
        let steps = Array(repeating: TextSplitter.bytes(addsSpace: true, splits: false), count: 40)
        #expect(try tokenizer([], steps).encode("b").count <= 16)
    }

    @Test("A tokenizer whose steps make added tokens very long is refused")
    func addedTokens() throws {
        var token = TokenizerPipeline.AddedToken(id: 1, text: "a")
        token.isNormalized = true
        let error = #expect(throws: TokenizerError.self) { try tokenizer(Self.doublings, adding: [token]) }
        #expect(error?.code == .invalidVocabulary)
        #expect(try tokenizer(Array(Self.doublings.prefix(6)), adding: [token]).encode("b") == [2])
    }

    @Test("An added token that is too long to be looked for at each place of a text is refused")
    func longAddedToken() throws {
        func token(_ length: Int) -> TokenizerPipeline.AddedToken {
            TokenizerPipeline.AddedToken(id: 1, text: String(repeating: "a", count: length))
        }
        #expect(try tokenizer([], adding: [token(512)]).encode("b") == [2])
        let error = #expect(throws: TokenizerError.self) { try tokenizer([], adding: [token(513)]) }
        #expect(error?.code == .invalidVocabulary)
    }

    @Test(
        "Reading a text that is one long word ends in the middle of it when it is told to",
        arguments: [
            TokenizerPipeline.Model.bytePairs(.init()),
            .unigram(scores: [-1, -2], unknown: nil, spellsBytes: false),
            .wordPiece(unknown: 0, prefix: "", longestWord: .max),
        ])
    func cancelling(model: TokenizerPipeline.Model) throws {
        let tokenizer = try Tokenizer(
            TokenizerDescription(
                algorithm: .pipeline(TokenizerPipeline(model: model)), tokens: ["a", "aa"].map { .init(text: $0) },
                merges: ["a a"]))
        let text = TextSegment(String(repeating: "a", count: 400_000), origin: .input)
        var calls = 0
        let tokens = tokenizer.encode([text], reserving: nil) {
            calls += 1
            // The first two questions come before the word.
            return calls < 3
        }
        #expect(tokens == nil && calls == 3)
    }

    @Test("The longest added token that counts is found, however many begin alike")
    func longestAddedToken() throws {
        var special = TokenizerPipeline.AddedToken(id: 2, text: "<ab")
        special.isSpecial = true
        let (short, again) = (
            TokenizerPipeline.AddedToken(id: 1, text: "<a"), TokenizerPipeline.AddedToken(id: 0, text: "<a")
        )
        let few = try tokenizer([], adding: [special, short, again])
        #expect(few.encode("<ab", specialTokens: .parsed) == [2])
        #expect(few.encode("<ab") == [1, 2])
        #expect(few.encode("<a<") == [1, 0])
        let many = (0..<200_000).map { TokenizerPipeline.AddedToken(id: $0 == 77 ? 2 : 1, text: "<\($0)>") }
        let text = String(repeating: "<", count: 20_000) + "<77>"
        #expect(try tokenizer([], adding: many).encode(text) == Array(repeating: 0, count: 20_000) + [2])
    }

    @Test("BERT's normaliser leaves control characters out, and takes only tabs and ends of lines for white space")
    func cleaning() throws {
        // Of the tokens, the unknown one stands for white space and for characters that are not assigned.
        let bert = TextNormalizer.bert(
            cleans: true, separatesIdeographs: false, stripsAccents: false, lowercases: false)
        let tokenizer = try tokenizer([bert])
        let cases: [(String, [TokenID])] = [
            ("a\tb\r\n", [1, 0, 2, 0, 0]), ("a\u{B}\u{C}\u{85}\u{0}b", [1, 2]), ("a\u{2028}\u{A0}b", [1, 0, 0, 2]),
            ("a\u{200B}\u{E000}\u{FFFD}b", [1, 2]), ("a\u{10FFFF}b", [1, 0, 2]),
        ]
        for (text, ids) in cases {
            #expect(tokenizer.encode(text) == ids, "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test("The longest tokens of a word are found in a time in proportion to its length")
    func longWord() throws {
        let pipeline = TokenizerPipeline(
            splitters: [.words], model: .wordPiece(unknown: 0, prefix: "##", longestWord: .max))
        let tokenizer = try Tokenizer(
            TokenizerDescription(
                algorithm: .pipeline(pipeline), tokens: ["[UNK]", "a", "##a", "##ab"].map { .init(text: $0) }))
        let text = "a" + String(repeating: "ab", count: 20_000)
        #expect(tokenizer.encode(text) == [1] + Array(repeating: 3, count: 20_000))
    }

    @Test("A vocabulary with a very long token, up to whose length a word would be looked up at each place, is refused")
    func longToken() throws {
        let pipeline = TokenizerPipeline(
            splitters: [.words], model: .wordPiece(unknown: 0, prefix: "##", longestWord: .max))
        let tokens = ["[UNK]", "a", String(repeating: "b", count: 513)]
        let error = #expect(throws: TokenizerError.self) {
            try Tokenizer(TokenizerDescription(algorithm: .pipeline(pipeline), tokens: tokens.map { .init(text: $0) }))
        }
        #expect(error?.code == .invalidVocabulary)
    }

    @Test("A long text as a pattern is found without recursion")
    func longPattern() throws {
        let text = String(repeating: "a", count: 200_000)
        #expect(try tokenizer([.replace(SplitPattern(text: text), "b")]).encode(text) == [2])
    }
}
