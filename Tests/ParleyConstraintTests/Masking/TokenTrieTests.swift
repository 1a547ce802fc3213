// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("The trie of tokens")
struct TokenTrieTests {
    @Test("Tokens of the same bytes are allowed together, and tokens of none never")
    func equalTokens() throws {
        let trie = TokenTrie(
            [Array("ab".utf8), [], Array("ab".utf8), Array("a".utf8), Array("b".utf8)], endOfGeneration: [1, 99, -1])
        #expect(trie.endOfGeneration == [1])
        var mask = TokenMask(vocabularySize: 5)
        try TokenMasks(try ConstraintProgram(.literal("ab")), trie).allow(
            ConstraintState(try ConstraintProgram(.literal("ab"))), into: &mask)
        #expect((0..<5).map { mask[TokenID($0)] } == [true, false, true, true, false])
    }

    @Test("Tokens for single bytes do not spell a control token")
    func bytesOfControlTokens() throws {
        let tokenizer = try Tokenizer(GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription())
        let bytes = (0..<tokenizer.vocabularySize).map { tokenizer.bytes(of: TokenID($0)) }
        #expect(bytes.contains([0xFF]))
        var mask = TokenMask(vocabularySize: tokenizer.vocabularySize)
        let program = try ConstraintProgram(.marker("<|im_end|>"))
        try TokenMasks(program, TokenTrie(tokenizer)).allow(ConstraintState(program), into: &mask)
        #expect(bytes.indices.contains { mask[TokenID($0)] })
        #expect(!bytes.indices.contains { mask[TokenID($0)] && bytes[$0].contains(0xFF) })
    }

    @Test("An empty vocabulary gives empty masks")
    func emptyVocabulary() throws {
        var mask = TokenMask(vocabularySize: 0)
        let program = try ConstraintProgram(schema: true)
        try TokenMasks(program, TokenTrie([], endOfGeneration: [])).allow(ConstraintState(program), into: &mask)
        #expect(mask.count == 0)
    }
}
