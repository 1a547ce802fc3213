// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyJSON
import Testing

@Suite("Harmony dialect")
struct HarmonyDialectTests {
    struct Sorted: Equatable {
        var reasoning = ""
        var text = ""
        var calls: [ParsedFunctionCall] = []
        var rejections = 0
    }

    private func sorted(_ reply: String, size: Int) -> Sorted {
        var router = ResponseRouter(.init(reasoning: .harmony, functionCalls: .harmony))
        var parts: [ResponsePart] = []
        var rest = reply[...]
        while !rest.isEmpty {
            parts += router.append(String(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        parts += router.finish()
        var sorted = Sorted()
        for part in parts {
            switch part {
            case .reasoning(let piece): sorted.reasoning += piece
            case .text(let piece): sorted.text += piece
            case .functionCalls(let calls):
                sorted.calls += calls.map { ParsedFunctionCall(name: $0.name, arguments: $0.arguments) }
            default: sorted.rejections += 1
            }
        }
        return sorted
    }

    private static let call = ParsedFunctionCall(name: "f", arguments: ["a": 1])
    private static let start = "<|start|>assistant"
    private static let analysis = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"

    @Test(
        "Analysis is reasoning, commentary and answer are text, and a message to a function is a call",
        arguments: [
            ("<|channel|>final<|message|>Hello", Sorted(text: "Hello")),
            ("<|channel|>commentary<|message|>Hello", Sorted(text: "Hello")),
            ("<|channel|>final <|constrain|>json<|message|>{}", Sorted(text: "{}")),
            ("\(analysis)<|channel|>final<|message|>Hello", Sorted(reasoning: "Hm.", text: "Hello")),
            (
                "\(analysis)<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\": 1}",
                Sorted(reasoning: "Hm.", calls: [call])
            ),
            (
                "\(analysis) to=functions.f<|channel|>commentary json<|message|>{\"a\": 1}",
                Sorted(reasoning: "Hm.", calls: [call])
            ),
            (" to=functions.f<|channel|>analysis<|message|>{\"a\":1}", Sorted(calls: [call])),
            ("<|channel|>analysis to=functions.f<|message|>{\"a\":1}<|call|>", Sorted(calls: [call])),
            (
                "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant\(analysis)"
                    + "<|channel|>commentary to=functions.f<|message|>{\"a\":1}",
                Sorted(reasoning: "Hm.", text: "I look.", calls: [call])
            ),
            (
                "<|channel|>commentary<|message|>I look.<|end|>\(start)<|channel|>final<|message|>\nHello",
                Sorted(text: "I look.\n\nHello")
            ),
            (
                "<|channel|>commentary<|message|>I look.<|end|>\(start)\(analysis)\(analysis)"
                    + "<|channel|>final <|constrain|>json<|message|>{}",
                Sorted(reasoning: "Hm.\n\nHm.", text: "I look.\n\n{}")
            ),
            // The header of a message begins a call, and its text does not.
            (
                "<|channel|>final<|message|>Write to=functions.f<|message|>{}.",
                Sorted(text: "Write to=functions.f\n\n{}.")
            ),
            ("<|channel|>commentary to=functions.f<|message|>{\"a\":", Sorted(rejections: 1)),
            ("<|channel|>commentary to=functions.f<|message|>", Sorted(rejections: 1)),
            ("<|channel|>commentary to=functions.f<|message|>[1]", Sorted(rejections: 1)),
            ("<|channel|>commentary to=functions.f", Sorted(rejections: 1)),
        ])
    func replies(reply: String, expected: Sorted) {
        for size in 1...reply.count { #expect(sorted(reply, size: size) == expected) }
    }

    private static let function = Function(
        name: "f", description: "", parameters: [FunctionParameter(name: "a", type: .integer())])

    @Test(
        "The grammar allows both forms of a call, and a required call begins with its channel",
        arguments: [
            ("f<|message|>{\"a\": 1}", true), ("f <|constrain|>json<|message|>{\"a\": 1}", true),
            ("f<|channel|>commentary json<|message|>{\"a\":1}", true),
            ("f<|channel|>commentary <|constrain|>json<|message|>{\"a\":1}", true),
            ("f json<|message|>{\"a\":1}", true),
            ("f<|message|>{}", false), ("g<|message|>{}", false), ("f{\"a\":1}", false),
            ("f<|message|>{\"a\":1}<|call|>", false),
        ])
    func grammar(text: String, isAllowed: Bool) throws {
        let rest = try #require(HarmonyDialect().rest(calling: [Self.function]))
        #expect(try ConstraintProgram(rest).accepts(text.utf8) == isAllowed)
        let reply = try #require(HarmonyDialect().reply(calling: [Self.function], allowsSeveral: true))
        let program = try ConstraintProgram(reply)
        #expect(program.accepts("<|channel|>commentary to=functions.\(text)".utf8) == isAllowed)
        #expect(!program.accepts(text.utf8))
    }

    @Test("What prompts show is read to the same calls")
    func spelling() throws {
        let calls = [
            FunctionCall(id: "1", name: "f", arguments: ["a": "to=functions.x"]),
            FunctionCall(id: "2", name: "g", arguments: [:]),
        ]
        let text = HarmonyDialect().spell(calls)
        #expect(text.hasPrefix("<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\": "))
        let body = text.dropFirst("<|channel|>commentary to=functions.".count)
        #expect(try HarmonyDialect().parse(String(body)).map(\.name) == ["f", "g"])
    }
}
