// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyReplyCases
import Testing

@Suite("Response router: function calls")
struct ResponseRouterCallTests {
    @Test("Pythonic calls between Liquid's tags are calls")
    func pythonic() {
        let parts = route(
            #"Sure.<|tool_call_start|>[f(a="x", b=1), g()]<|tool_call_end|>Done."#, .init(functionCalls: .lfmPythonic))
        let calls = [
            FunctionCall(id: "call00001", name: "f", arguments: ["a": "x", "b": 1]),
            FunctionCall(id: "call00002", name: "g", arguments: [:]),
        ]
        #expect(parts == [.text("Sure."), .functionCalls(calls), .text("Done.")])
    }

    @Test("A closing tag inside a string is part of the string")
    func tagInString() {
        let hermes = route(
            #"<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>y"}}</tool_call>"#,
            .init(functionCalls: .hermes))
        #expect(
            hermes == [.functionCalls([FunctionCall(id: "call00001", name: "f", arguments: ["a": "x</tool_call>y"])])])
        let pythonic = route(
            #"<|tool_call_start|>[f(a='<|tool_call_end|>')]<|tool_call_end|>"#, .init(functionCalls: .lfmPythonic))
        #expect(
            pythonic == [
                .functionCalls([FunctionCall(id: "call00001", name: "f", arguments: ["a": "<|tool_call_end|>"])])
            ])
    }

    @Test("An unterminated string affects its own call only")
    func openString() {
        let parts = route(
            #"<tool_call>{"name": "f", "arguments": {"a": "x}}</tool_call> so <tool_call>{"name": "g"}</tool_call>"#,
            .init(functionCalls: .hermes))
        guard parts.count == 3, case .rejectedFunctionCall(let rejection) = parts[0] else {
            Issue.record("\(parts)")
            return
        }
        #expect(rejection.text == #"<tool_call>{"name": "f", "arguments": {"a": "x}}</tool_call>"#)
        #expect(rejection.reason == .cut)
        #expect(parts[1] == .text("so "))
        #expect(parts[2] == .functionCalls([FunctionCall(id: "call00001", name: "g", arguments: [:])]))
    }

    @Test(
        "Cut or malformed calls are rejected with their text",
        arguments: [
            (#"<tool_call>{"name": "f", "argum"#, FunctionCallRejection.Reason.cut),
            (#"<tool_call>{"name": "f"}"#, .cut),
            ("<tool_call>", .cut),
            ("<tool_call>nonsense!</tool_call>", .malformed),
            ("<tool_call></tool_call>", .empty),
            (#"<tool_call>{"arguments": {}}</tool_call>"#, .missingName),
            (#"<tool_call>{"name": "f", "arguments": [1]}</tool_call>"#, .invalidArguments),
            ("<tool_call>" + String(repeating: "[", count: 500) + "</tool_call>", .tooDeep),
        ])
    func rejections(output: String, reason: FunctionCallRejection.Reason) {
        let parts = route(output, .init(functionCalls: .hermes), .length)
        guard parts.count == 1, case .rejectedFunctionCall(let rejection) = parts[0] else {
            Issue.record("\(parts)")
            return
        }
        #expect(rejection.text == output)
        if rejection.reason != .empty || reason != .cut { #expect(rejection.reason == reason) }
        #expect(rejection.error.code == .functionCallParsingFailed)
    }

    @Test("A complete call without its closing tag is accepted if the model ended the reply")
    func missingClosingTag() {
        let parts = route(#"<tool_call>{"name": "f"}"#, .init(functionCalls: .hermes), .stop)
        #expect(parts == [.functionCalls([FunctionCall(id: "call00001", name: "f", arguments: [:])])])
    }

    @Test(
        "With Llama 3, a reply that is a call in JSON is recognised as a call",
        arguments: [
            #"{"name": "f", "parameters": {"a": 1}}"#,
            #"  {"name": "f", "parameters": {"a": 1}} "#,
            #"<|python_tag|>{"name": "f", "parameters": {"a": 1}}"#,
            #"{"type": "function", "name": "f", "parameters": {"a": 1}}"#,
            #"<|python_tag|>f(a=1)"#,
        ])
    func llama(output: String) {
        let parts = route(output, .init(functionCalls: .llama3JSON, functionNames: ["f"]))
        #expect(parts == [.functionCalls([FunctionCall(id: "call00001", name: "f", arguments: ["a": 1])])])
    }

    @Test(
        "With Llama 3, other JSON is an answer",
        arguments: [
            #" {"city": "Bern", "name": "f"}"#, #"{"name": "Bern"}"#, "{}", #"{"name": 3}"#, "{ not JSON",
            #"Here: {"name": "f", "parameters": {}}"#, #"{"id": 3, "parameters": 7}"#,
        ])
    func llamaText(output: String) {
        #expect(route(output, .init(functionCalls: .llama3JSON, functionNames: ["f"])) == [.text(output)])
    }

    @Test(
        "A brace held back as the start of a stop string is released exactly once",
        arguments: [
            ("<think>abc</think> {", [ResponsePart.reasoning("abc"), .text("{")]), ("{", [.text("{")]),
            (" { ", [.text(" { ")]), ("{ {", [.text("{ {")]), ("{ \"x", [.text("{ \"x")]),
        ])
    func heldBrace(output: String, expected: [ResponsePart]) {
        for stop in ["{…", "{ y", "{ {…", "{ \"xy"] {
            let configuration = ResponseRouter.Configuration(functionCalls: .llama3JSON, stop: [stop])
            #expect(route(output, configuration) == expected, "\(stop)")
        }
    }

    @Test("Mistral's calls last to the end of the reply")
    func mistral() {
        let call = FunctionCall(id: "call00001", name: "f", arguments: ["a": 1])
        for output in [
            #"See: [TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}]"#, #"See: [TOOL_CALLS]f[ARGS]{"a": 1}"#,
        ] {
            for format in [FunctionCallFormat.mistralJSON, .mistralNamed] {
                #expect(route(output, .init(functionCalls: format)) == [.text("See: "), .functionCalls([call])])
            }
        }
    }

    @Test("The first key of an answer in JSON is examined once, however long it is and whatever precedes it")
    func longKey() {
        let space = String(repeating: " ", count: 100_000)
        let key = String(repeating: "k", count: 100_000)
        for output in ["{\(space)\"\(key)\": 1}", "{\"name\(key)\": 1}", "{\(space)\"nam\(key)"] {
            #expect(route([output], .init(functionCalls: .llama3JSON)) == [.text(output)])
        }
    }

    @Test("A JSON answer is released as soon as it cannot be a call, and stop strings are recognised in it")
    func llamaEarly() {
        var router = ResponseRouter(.init(functionCalls: .llama3JSON, functionNames: ["f"], stop: ["END"]))
        #expect(router.append(#"{"city""#) == [.text(#"{"city"#)])
        #expect(router.append(#": "xEND"#).merged == [.text(#"": "x"#)])
        #expect(router.hasStopped)
    }

    @Test("With Llama 3, a cut call in JSON is rejected")
    func llamaCut() {
        for names in [[], ["f"]] as [Set<String>] {
            let configuration = ResponseRouter.Configuration(functionCalls: .llama3JSON, functionNames: names)
            let parts = route(#"{"name": "f", "parameters": {"a": "#, configuration, .length)
            guard parts.count == 1, case .rejectedFunctionCall(let rejection) = parts[0] else {
                Issue.record("\(parts)")
                return
            }
            #expect(rejection.reason == .cut)
        }
    }

    @Test("With Llama 3, an answer in JSON that names no function is text at once, and stays text when it is cut off")
    func llamaNamedAnswer() {
        var router = ResponseRouter(.init(functionCalls: .llama3JSON, functionNames: ["find", "f"]))
        #expect(router.append(#"{"name": "fi"#) == [])
        #expect(router.append(#"sh", "minutes""#).merged == [.text(#"{"name": "fish", "minutes"#)])
        #expect(router.finish(.length) == [.text("\"")])
        for output in [#"{"name": {"first": "#, #"{"name": "fin", "#, #"{"name": "e\u0301", "#, #"{"name": 3, "#] {
            let parts = route(output, .init(functionCalls: .llama3JSON, functionNames: ["find"]), .length)
            #expect(parts == [.text(output)])
        }
        let escaped = route(
            #"{"name": "\u0066", "parameters": {}}"#, .init(functionCalls: .llama3JSON, functionNames: ["f"]))
        #expect(escaped == [.functionCalls([FunctionCall(id: "call00001", name: "f", arguments: [:])])])
    }

    @Test("Raw text leaves calls in the text")
    func rawText() {
        let output = #"<tool_call>{"name": "f"}</tool_call>"#
        #expect(route(output, .init(functionCalls: .rawText)) == [.text(output)])
        #expect(route(output, .init(functionCalls: nil)) == [.text(output)])
    }
}
