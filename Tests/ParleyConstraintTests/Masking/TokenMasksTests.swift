// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import ParleyTestSupport
import ParleyTokenizer
import Testing

@Suite("Token masks")
struct TokenMasksTests {
    /// The allowed tokens, computed by reading the bytes of each token separately.
    private static func bruteForce(_ state: ConstraintState, _ texts: [[UInt8]], ends: Set<TokenID>) -> TokenMask {
        var mask = TokenMask(vocabularySize: texts.count)
        for (index, text) in texts.enumerated() {
            let token = TokenID(index)
            if ends.contains(token) {
                mask[token] = state.canEnd
            } else {
                var next = state
                mask[token] = !text.isEmpty && next.advance(text)
            }
        }
        return mask
    }

    private static func differences(_ left: TokenMask, _ right: TokenMask, _ texts: [[UInt8]]) -> [String] {
        texts.indices.filter { left[TokenID($0)] != right[TokenID($0)] }.prefix(8).map {
            "\(left[TokenID($0)]) \(String(decoding: texts[$0], as: UTF8.self).debugDescription)"
        }
    }

    /// Steps at random through a program and compares the masks on the way.
    private static func compare(
        _ program: ConstraintProgram, _ trie: TokenTrie, _ texts: [[UInt8]], steps: Int, every: Int,
        _ random: inout SplitMix64
    ) throws {
        let masks = TokenMasks(program, trie)
        let ends = Set(trie.endOfGeneration)
        var constraint = Constraint(masks)
        var mask = TokenMask(vocabularySize: texts.count)
        for step in 0..<steps {
            try constraint.allow(into: &mask)
            if step % every == 0 {
                let expected = bruteForce(constraint.state, texts, ends: ends)
                #expect(mask == expected, "\(differences(mask, expected, texts))")
                if mask != expected { return }
            }
            #expect(mask.count > 0)
            let allowed = texts.indices.filter { mask[TokenID($0)] && !ends.contains(TokenID($0)) }
            // Half of the steps take short tokens; otherwise strings would take up all steps.
            let short = Bool.random(using: &random) ? allowed.filter { texts[$0].count <= 2 } : []
            guard let token = (short.isEmpty ? allowed : short).randomElement(using: &random) else { break }
            #expect(reads(&constraint, TokenID(token)))
        }
    }

    @Test("Masks equal brute force on a small vocabulary", arguments: GoldenSchema.all)
    func smallVocabulary(_ golden: GoldenSchema) throws {
        var random = SplitMix64(seed: 4)
        let program = try ConstraintProgram(schema: golden.schema)
        for _ in 0..<3 {
            try Self.compare(program, TestVocabulary.trie, TestVocabulary.texts, steps: 60, every: 1, &random)
        }
    }

    @Test(
        "Masks equal brute force for each keyword",
        arguments: GoldenSchema.keywords.filter { $0.instances.contains(where: \.isValid) })
    func keywords(_ golden: GoldenSchema) throws {
        var random = SplitMix64(seed: 5)
        let program = try ConstraintProgram(schema: golden.schema)
        try Self.compare(program, TestVocabulary.trie, TestVocabulary.texts, steps: 30, every: 1, &random)
    }

    @Test(
        "Masks equal brute force on real vocabularies", .enabled(if: !References.vocabularies.isEmpty, References.hint),
        arguments: References.vocabularies)
    func realVocabulary(_ path: String) throws {
        var random = SplitMix64(seed: 6)
        let tokenizer = try References.tokenizer(path)
        let trie = TokenTrie(tokenizer)
        let texts = (0..<tokenizer.vocabularySize).map { index in
            let token = TokenID(index)
            return tokenizer.isControl(token) || tokenizer.endOfGeneration.contains(token)
                ? [] : tokenizer.bytes(of: token)
        }
        let every = texts.count > 100_000 ? 20 : 8
        for golden in GoldenSchema.all.shuffled(using: &random).prefix(24) {
            let program = try ConstraintProgram(schema: golden.schema)
            try Self.compare(program, trie, texts, steps: 48, every: every, &random)
        }
    }

    @Test("A control token stands for its marker and for nothing else")
    func markers() throws {
        let masks = TokenMasks(
            try ConstraintProgram(.sequence([.schema(["type": "string"]), .marker("<|call_end|>")])),
            TestVocabulary.trie)
        var constraint = Constraint(masks)
        var mask = TokenMask(vocabularySize: TestVocabulary.texts.count)
        try constraint.allow(into: &mask)
        #expect(!mask[TestVocabulary.callEnd])
        #expect(reads(&constraint, try #require(TestVocabulary.token("\"a\""))))
        try constraint.allow(into: &mask)
        #expect(mask[TestVocabulary.callEnd])
        #expect(!mask[TestVocabulary.end])
        #expect(reads(&constraint, TestVocabulary.callEnd))
        #expect(constraint.isComplete)
        try constraint.allow(into: &mask)
        #expect(mask.count == 1 && mask[TestVocabulary.end])
    }

    @Test("A mask of another size is replaced, and ids beyond the vocabulary are refused")
    func oddSizes() throws {
        var constraint = Constraint(TokenMasks(try ConstraintProgram(schema: true), TestVocabulary.trie))
        var mask = TokenMask(vocabularySize: 3)
        try constraint.allow(into: &mask)
        #expect(mask.vocabularySize == TestVocabulary.texts.count)
        #expect(!reads(&constraint, -1))
        #expect(!reads(&constraint, 1_000_000))
    }
}
