// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
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
            ("<think>a</think><think>b</think>c", [.reasoning("ab"), .text("c")]),
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
        #expect(merged(parts) == [.reasoning("one two"), .text("Answer.")])
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
        #expect(merged(parts) == [.reasoning("END"), .text("a"), .functionCalls([call]), .text("b ")])
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
