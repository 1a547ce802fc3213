// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("The work that a mask may take")
struct WorkMeterTests {
    /// A grammar with about `width` to the power of three ways to parse a text.
    private static func ambiguous(_ width: Int) -> Grammar {
        func level(_ inner: Grammar, _ mark: String) -> Grammar {
            .choice((0..<width).map { .sequence([inner, .literal("\(mark)\($0)")]) })
        }
        return level(level(level(.literal("b"), "x"), "y"), "z")
    }

    private func code(
        _ constraint: Constraint, deadline: ContinuousClock.Instant? = nil
    ) -> ConstraintError.Code? {
        var mask = TokenMask(vocabularySize: TestVocabulary.texts.count)
        do {
            try constraint.allow(into: &mask, deadline: deadline)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A grammar with too many ways to parse a byte fails, at its beginning and later")
    func limit() throws {
        let limits = ConstraintLimits(subschemas: 100_000, steps: 100_000_000)
        let grammar = Self.ambiguous(35)
        let first = #expect(throws: ConstraintError.self) { try ConstraintProgram(grammar, limits: limits) }
        #expect(first?.code == .tooLarge)
        let later = Constraint(
            TokenMasks(
                try ConstraintProgram(.sequence([.literal("a"), grammar]), limits: limits), TestVocabulary.trie))
        #expect(code(later) == .tooLarge)
        var forced = later
        #expect(!reads(&forced, try #require(TestVocabulary.token("a"))))
        #expect(code(forced) == .tooLarge, "a state that was given up stays so")
    }

    @Test("Schemas with nested alternatives fail instead of taking seconds")
    func schemas() throws {
        func lists(of items: JSONValue) -> JSONValue {
            .array((1...200).map { ["type": "array", "items": items, "maxItems": .integer($0)] })
        }
        let schema: JSONValue = [
            "anyOf": lists(of: ["$ref": "#/$defs/b"]), "$defs": ["b": ["anyOf": lists(of: ["type": "null"])]],
        ]
        // The vocabulary has a token that opens both lists.
        let constraint = Constraint(TokenMasks(try ConstraintProgram(schema: schema), TestVocabulary.trie))
        #expect(code(constraint) == .tooLarge)
    }

    @Test("A deadline and cancellation stop computing a mask, and nothing incomplete is cached")
    func interruptions() async throws {
        let program = try ConstraintProgram(.sequence([.literal("a"), Self.ambiguous(16)]))
        let constraint = Constraint(TokenMasks(program, TestVocabulary.trie))
        #expect(code(constraint, deadline: .now - .seconds(1)) == .timedOut)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return code(constraint)
        }
        #expect(await task.value == .cancelled)
        #expect(code(constraint, deadline: .now + .seconds(3_600)) == nil)
    }

    @Test("Building the trie stops at a deadline and on cancellation")
    func trees() async throws {
        let tokenizer = try Tokenizer(GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription())
        let late = #expect(throws: ConstraintError.self) { try TokenTrie(tokenizer, deadline: .now - .seconds(1)) }
        #expect(late?.code == .timedOut)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return #expect(throws: ConstraintError.self) { try TokenTrie(tokenizer, deadline: nil) }?.code
        }
        #expect(await task.value == .cancelled)
        #expect(try TokenTrie(tokenizer, deadline: nil).vocabularySize == tokenizer.vocabularySize)
    }

    @Test("An object with thousands of names is written at little cost")
    func manyNames() throws {
        let masks = TokenMasks(
            try ConstraintProgram(schema: ["type": "object", "additionalProperties": ["const": 1]]),
            TestVocabulary.trie)
        var mask = TokenMask(vocabularySize: TestVocabulary.texts.count)
        var state = ConstraintState(masks.program)
        #expect(reads(&state, "{".utf8))
        for number in 0..<3_000 { #expect(reads(&state, "\"a name \(number)\":1,".utf8)) }
        #expect(!reads(&state, "\"a name 17\":".utf8))
        #expect(reads(&state, "\"a name 17".utf8))
        try masks.allow(state, into: &mask)
        #expect(!mask[try #require(TestVocabulary.token("\":"))])
        #expect(mask[try #require(TestVocabulary.token("a\""))])
    }
}
