// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Constraints that start at a trigger")
struct LazyConstraintTests {
    private let trie = TestVocabulary.trie

    private func constraint(then continuation: LazyConstraint.Continuation = .free) throws -> LazyConstraint {
        let call = Grammar.sequence([
            .literal("{"), .gap, .literal("\"name\": \"time\", \"arguments\": "),
            .object(["additionalProperties": false]), .literal("}"), .marker("</tool_call>"),
        ])
        let rule = LazyConstraint.Rule(
            trigger: "<tool_call>", masks: TokenMasks(try ConstraintProgram(call), trie), then: continuation)
        return LazyConstraint([rule], trie: trie)
    }

    private func feed(_ text: String, to constraint: inout LazyConstraint) -> Bool {
        text.utf8.allSatisfy { byte in
            TestVocabulary.texts.firstIndex(of: [byte]).map { constraint.accept(TokenID($0)) } ?? false
        }
    }

    @Test("Text is free until the trigger, then follows the program, then is free again")
    func wayThrough() throws {
        var constraint = try constraint()
        var mask = TokenMask(vocabularySize: TestVocabulary.texts.count)
        #expect(feed("Let me see <tool_ca<tool_call", to: &constraint))
        #expect(!constraint.isConstrained && constraint.canEnd)
        #expect(feed(">", to: &constraint))
        #expect(constraint.isConstrained && !constraint.canEnd)
        #expect(try constraint.allow(into: &mask))
        #expect(!mask[TestVocabulary.end])
        var other = constraint
        #expect(!feed("x", to: &other))
        #expect(feed(#"{"name": "time", "arguments": {}}</tool_call> done <tool_call>{"#, to: &constraint))
        #expect(constraint.isConstrained)
        #expect(!feed("[", to: &constraint))
    }

    @Test("The part of a token after the trigger must follow the program")
    func tokensAcrossTheTrigger() throws {
        var constraint = try constraint()
        var mask = TokenMask(vocabularySize: TestVocabulary.texts.count)
        let (good, bad) = (
            try #require(TestVocabulary.token("<tool_call>{")), try #require(TestVocabulary.token("<tool_call>x"))
        )
        #expect(try constraint.allow(into: &mask))
        #expect(mask[good] && !mask[bad] && mask[TestVocabulary.end])
        #expect(mask.count == TestVocabulary.texts.count - 1)
        #expect(!reads(&constraint, bad))
        #expect(!constraint.isConstrained)
        #expect(reads(&constraint, good))
        #expect(constraint.isConstrained)
    }

    @Test("A rule can require the reply to end after its program")
    func end() throws {
        var constraint = try constraint(then: .end)
        var mask = TokenMask(vocabularySize: TestVocabulary.texts.count)
        #expect(feed(#"<tool_call>{"name": "time", "arguments": {}}</tool_call>"#, to: &constraint))
        #expect(constraint.isComplete && constraint.canEnd)
        #expect(try constraint.allow(into: &mask))
        #expect(mask.count == 1 && mask[TestVocabulary.end])
        #expect(!feed("x", to: &constraint))
    }

    @Test("A trigger may begin before the reply")
    func triggerAcrossTheBeginning() throws {
        let rule = LazyConstraint.Rule(
            trigger: "assistant {", masks: TokenMasks(try ConstraintProgram(.literal("x")), trie), then: .end)
        for text in ["assistant", "the assistant", "user", ""] {
            var constraint = LazyConstraint([rule], trie: trie, after: text)
            #expect(feed(" {", to: &constraint))
            #expect(constraint.isConstrained == text.hasSuffix("assistant"))
        }
    }

    @Test("A control token spells the trigger in free text")
    func controlTrigger() throws {
        let rule = LazyConstraint.Rule(
            trigger: "<|call_end|>", masks: TokenMasks(try ConstraintProgram(.literal("x")), trie), then: .end)
        var constraint = LazyConstraint([rule], trie: trie)
        #expect(reads(&constraint, TestVocabulary.callEnd))
        #expect(constraint.isConstrained)
    }

    @Test("Of several triggers the one that is complete first is used")
    func severalTriggers() throws {
        let rules = try ["<b>", "<a><b", "<a>"].map { trigger in
            LazyConstraint.Rule(trigger: trigger, masks: TokenMasks(try ConstraintProgram(.literal(trigger)), trie))
        }
        var constraint = LazyConstraint(rules, trie: trie)
        #expect(feed("..<<a>", to: &constraint))
        var other = constraint
        #expect(!feed("<b", to: &other))
        #expect(feed("<a>", to: &constraint))
        #expect(!constraint.isConstrained)
    }
}
