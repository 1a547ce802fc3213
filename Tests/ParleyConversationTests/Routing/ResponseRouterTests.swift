// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyReplyCases
import Testing

@Suite("Response router")
struct ResponseRouterTests {
    static let look = FunctionCall(id: "call00001", name: "look", arguments: [:])

    @Test("Text, reasoning and calls are separated")
    func everything() {
        let parts = route(
            "\n <think>\nHm.\n</think>\n\nLet me see. <tool_call>\n{\"name\": \"look\"}\n</tool_call>\n",
            .init(functionCalls: .hermes))
        #expect(parts == [.reasoning("Hm."), .text("Let me see. "), .functionCalls([Self.look])])
    }

    @Test(
        "Reasoning is recognised",
        arguments: [
            ("plain", [ResponsePart.text("plain")]),
            ("<think></think>answer", [.text("answer")]),
            ("<think>open end \n", [.reasoning("open end \n")]),
            ("<think>a\n\nb</think>c", [.reasoning("a\n\nb"), .text("c")]),
            ("text <think>no</think>", [.text("text <think>no</think>")]),
            ("  text", [.text("  text")]),
            (" \n", [.text(" \n")]),
            ("<think>a</think><think>b</think>c", [.reasoning("a\n\nb"), .text("c")]),
            ("<think>a</think><think>\n</think><think> b</think>c", [.reasoning("a\n\nb"), .text("c")]),
            ("<thi", [.text("<thi")]),
            ("<think>a</thi", [.reasoning("a</thi")]),
            ("<<think>", [.text("<<think>")]),
        ])
    func reasoning(output: String, expected: [ResponsePart]) {
        #expect(route(output, .init()) == expected)
    }

    @Test("A reply may begin inside reasoning, and may repeat the tag")
    func startsInside() {
        let configuration = ResponseRouter.Configuration(startsInsideReasoning: true)
        #expect(route("a</think>b", configuration) == [.reasoning("a"), .text("b")])
        #expect(route("<think>\na</think>b", configuration) == [.reasoning("a"), .text("b")])
    }

    @Test("Without reasoning tags everything is text")
    func noReasoning() {
        #expect(route("<think>a</think>b", .init(reasoning: nil)) == [.text("<think>a</think>b")])
    }

    @Test("When the reasoning budget is spent, the closing tag is requested")
    func budget() {
        var router = ResponseRouter(.init(maxReasoningTokens: 2))
        var parts = router.append("<think>", tokens: 1)
        #expect(router.reasoningClosing == nil)
        parts += router.append("one ")
        parts += router.append("two")
        #expect(router.reasoningTokens == 2)
        let closing = router.reasoningClosing
        #expect(closing == "\n</think>\n\n")
        parts += router.append(closing ?? "", tokens: 0)
        #expect(!router.isReasoning)
        parts += router.append("Answer.") + router.finish()
        #expect(parts.merged == [.reasoning("one two"), .text("Answer.")])
    }

    @Test("When the budget is spent the model may still call a function, and must answer if it reasons again")
    func budgetOfMessages() {
        func closings(_ functionCalls: FunctionCallFormat?) -> [String?] {
            var router = ResponseRouter(
                .init(reasoning: .harmony, maxReasoningTokens: 1, functionCalls: functionCalls))
            var closings: [String?] = []
            for _ in 0..<2 {
                _ = router.append("<|channel|>analysis<|message|>", tokens: 3)
                _ = router.append("Hm.")
                closings.append(router.reasoningClosing)
                _ = router.append("<|end|><|start|>assistant", tokens: 3)
                #expect(router.reasoningClosing == nil)
            }
            return closings
        }
        let header = "<|end|><|start|>assistant"
        #expect(closings(.harmony) == [header, header + "<|channel|>final<|message|>"])
        #expect(closings(nil) == [header + "<|channel|>final<|message|>", header + "<|channel|>final<|message|>"])
    }

    @Test("Tags around an answer that follows reasoning are left out, and such tags within it are not")
    func taggedAnswer() {
        var tags = ReasoningTags.think
        (tags.answerOpening, tags.answerClosing) = ("<response>", "</response>")
        let cases: [(String, [ResponsePart])] = [
            ("<think>a</think>\n<response>\nb</response>\n", [.reasoning("a"), .text("b")]),
            ("<think>a</think>b</response>", [.reasoning("a"), .text("b</response>")]),
            ("<think>a</think><response>b", [.reasoning("a"), .text("b")]),
            ("<think>a</think><response></response>", [.reasoning("a")]),
            (
                "<think>a</think><response><response>b</response>\nc</response> d</response></response>",
                [.reasoning("a"), .text("<response>b</response>\nc</response> d</response>")]
            ),
            ("<think>a</think><response>b</resp", [.reasoning("a"), .text("b</resp")]),
            ("<response>b</response>", [.text("<response>b</response>")]),
            ("b <response>c</response>", [.text("b <response>c</response>")]),
        ]
        for (output, expected) in cases {
            #expect(route([output], .init(reasoning: tags)) == expected)
            #expect(route(output.unicodeScalars.map { String($0) }, .init(reasoning: tags)) == expected)
        }
    }

    @Test("A stop string of any length is found in time proportional to the reply's")
    func longStop() {
        // Each scalar of the reply may begin the stop string; comparing all of them anew would take minutes.
        let text = String(repeating: "a", count: 200_000)
        #expect(route([text, "c"], .init(stop: [text + "b"])) == [.text(text + "c")])
        #expect(route(["a", text, "b"], .init(stop: [text + "b"])) == [.text("a")])
        #expect(route(["ab", "abac"], .init(stop: ["abac"])) == [.text("ab")])
    }

    @Test("A stop string ends the answer, across pieces, and counts neither in reasoning nor in calls")
    func stop() {
        let output = #"<think>END</think>a<tool_call>{"name": "look", "arguments": {"x": "END"}}</tool_call>b EN"#
        var router = ResponseRouter(.init(functionCalls: .hermes, stop: ["END", ""]))
        var parts = router.append(output)
        #expect(!router.hasStopped)
        parts += router.append("D c")
        #expect(router.hasStopped)
        parts += router.append("more") + router.finish()
        let call = FunctionCall(id: "call00001", name: "look", arguments: ["x": "END"])
        #expect(parts.merged == [.reasoning("END"), .text("a"), .functionCalls([call]), .text("b ")])
        #expect(router.rawOutput == output.dropLast(2))
    }

    @Test("White space after a tag is not recognised as a stop string")
    func stopAfterTag() {
        #expect(route("<think>a</think>\n\nb\n\nc", .init(stop: ["\n\n"])) == [.reasoning("a"), .text("b")])
    }

    @Test("The raw output keeps every character")
    func rawOutput() {
        var router = ResponseRouter(.init(functionCalls: .hermes))
        let output = " <think>\na</think>\n b<tool_call>nonsense</tool_call> \n<tool_call>{"
        _ = router.append(output)
        _ = router.finish()
        #expect(router.rawOutput == output)
    }

    @Test("No piece ends inside a character")
    func characters() {
        let text = "ne\u{301}e 👩‍👩‍👧‍👦 🇨🇭🇩🇪 क्षि\r\nö 👍🏽 e\u{301}\u{323}"
        var router = ResponseRouter()
        var pieces: [String] = []
        for scalar in text.unicodeScalars {
            for case .text(let piece) in router.append(String(scalar)) { pieces.append(piece) }
        }
        for case .text(let piece) in router.finish() { pieces.append(piece) }
        #expect(pieces.joined() == text)
        #expect(pieces.flatMap(Array.init) == Array(text))
        #expect(pieces.count > 10)
    }

    @Test("A character that never ends does not hold the reply back for ever")
    func endlessCharacter() {
        var router = ResponseRouter()
        let parts = router.append("a" + String(repeating: "\u{301}", count: 1_000))
        #expect(!parts.isEmpty)
    }

    @Test("Several calls keep their order and get distinct, unused ids")
    func ids() {
        let output =
            #"<tool_call>[{"name": "a"}, {"name": "b", "id": "mine"}]</tool_call><tool_call>{"name": "c", "id": "mine"}</tool_call>"#
        let parts = route(output, .init(functionCalls: .hermes, usedCallIDs: ["call00002"]))
        let ids = parts.flatMap { part -> [String] in
            if case .functionCalls(let calls) = part { calls.map(\.id) } else { [] }
        }
        #expect(ids == ["call00003", "mine", "call00004"])
    }
}
