// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import Testing

@Suite("Prepared prompt")
struct PreparedPromptTests {
    let look = Function(name: "look", description: "Looks")
    let hear = Function(name: "hear", description: "Hears")

    func prepare(
        _ messages: [ChatMessage], _ options: GenerationOptions = GenerationOptions(),
        support: FunctionCallSupport = FunctionCallSupport(format: .lfmPythonic, takesFunctions: true)
    ) -> PreparedPrompt {
        PreparedPrompt(messages: messages, functions: [look, hear], options: options, support: support)
    }

    @Test("A template that supports functions gets them, and the messages do not change")
    func takesFunctions() {
        let prompt = prepare([.user("Hi")])
        #expect(prompt.messages == [.user("Hi")])
        #expect(prompt.functions == [look, hear])
        #expect(prompt.functionCallFormat == .lfmPythonic)
        #expect(prompt.report == PromptReport(functionCallFormat: "lfm-pythonic"))
    }

    @Test("The mode chooses the functions")
    func modes() {
        #expect(prepare([], GenerationOptions(functionCalling: .named("hear"))).functions == [hear])
        #expect(prepare([], GenerationOptions(functionCalling: .required)).functions == [look, hear])
        let none = prepare([], GenerationOptions(functionCalling: .none))
        #expect(none.functions.isEmpty)
        #expect(none.functionCallFormat == nil)
        let raw = prepare([], GenerationOptions(functionCallParser: .rawText))
        #expect(raw.functions == [look, hear])
        #expect(raw.functionCallFormat == nil)
    }

    @Test("A template without functions gets functions, calls and results as text, which the report says")
    func described() throws {
        let call = FunctionCall(id: "1", name: "look", arguments: ["at": "x"])
        let other = FunctionCall(id: "2", name: "hear", arguments: [:])
        let prompt = prepare(
            [
                .system("Be brief."), .user("Hi"),
                ChatMessage(role: .assistant, content: [.text("So:")], functionCalls: [call, other]),
                .functionResult("sun", for: call), .functionResult("wind", for: other),
            ],
            support: FunctionCallSupport(template: "{{ messages }}"))
        #expect(prompt.functions.isEmpty)
        #expect(prompt.callableFunctions == [look, hear])
        #expect(prompt.report.describesFunctionsInSystemMessage)
        #expect(prompt.report.functionCallFormat == "hermes")
        #expect(prompt.messages.map(\.role) == [.system, .user, .assistant, .user])
        let system = try #require(prompt.messages.first?.text)
        #expect(system.hasPrefix("Be brief.\n\n"))
        #expect(system.contains(look.json.text(.python)))
        #expect(
            prompt.messages[2].text == """
                So:
                <tool_call>
                {"name": "look", "arguments": {"at": "x"}}
                </tool_call>
                <tool_call>
                {"name": "hear", "arguments": {}}
                </tool_call>
                """)
        #expect(
            prompt.messages[3].text == """
                <tool_response>
                sun
                </tool_response>
                <tool_response>
                wind
                </tool_response>
                """)
    }

    private func shown(_ calls: [FunctionCall], _ format: FunctionCallFormat) -> String {
        let prompt = prepare(
            [ChatMessage(role: .assistant, content: [], functionCalls: calls)],
            GenerationOptions(functionCallParser: format),
            support: FunctionCallSupport(format: .hermes, takesFunctions: false))
        return prompt.messages.last?.text ?? ""
    }

    @Test(
        "The described form of calls can be parsed",
        arguments: [FunctionCallFormat.hermes, .lfmPythonic, .llama3JSON, .mistralJSON, .mistralNamed, .apriel])
    func readBack(format: FunctionCallFormat) {
        let calls = [
            FunctionCall(
                id: "call00001", name: "look",
                arguments: ["at": "x \"y\" \\", "deep": [1, 2.5, .null, true, ["a b": false]]]),
            FunctionCall(id: "call00002", name: "hear", arguments: ["user id": .null, "": [:], "\"": []]),
        ]
        var router = ResponseRouter(.init(functionCalls: format))
        let parts = router.append(shown(calls, format)) + router.finish()
        let read = parts.flatMap { part -> [FunctionCall] in
            if case .functionCalls(let calls) = part { calls } else { [] }
        }
        #expect(read == calls, "\(parts)")
    }

    @Test(
        "Calls are shown as models of their family write them",
        arguments: [
            (
                FunctionCallFormat.lfmPythonic,
                #"<|tool_call_start|>[look(at={"x": True}, to=None), hear()]<|tool_call_end|>"#
            ),
            (
                .llama3JSON,
                #"{"name": "look", "parameters": {"at": {"x": true}, "to": null}}"# + "\n"
                    + #"{"name": "hear", "parameters": {}}"#
            ),
            (
                .mistralJSON,
                #"[TOOL_CALLS][{"name": "look", "arguments": {"at": {"x": true}, "to": null}}, "#
                    + #"{"name": "hear", "arguments": {}}]"#
            ),
            (
                .mistralNamed,
                #"[TOOL_CALLS]look[ARGS]{"at": {"x": true}, "to": null}[TOOL_CALLS]hear[ARGS]{}"#
            ),
        ])
    func shownCalls(format: FunctionCallFormat, text: String) {
        let calls = [
            FunctionCall(id: "1", name: "look", arguments: ["at": ["x": true], "to": .null]),
            FunctionCall(id: "2", name: "hear", arguments: [:]),
        ]
        #expect(shown(calls, format) == text)
    }

    @Test("The schema is shown in the system message unless that is switched off")
    func schema() {
        var options = GenerationOptions(jsonSchemaConstraint: .boolean())
        let text = "Answer with JSON that is valid for this JSON Schema, and with nothing else:\n{\"type\":\"boolean\"}"
        #expect(prepare([.user("Hi")], options).messages == [.system(text), .user("Hi")])
        #expect(prepare([.system("S"), .user("Hi")], options).messages == [.system("S\n\n" + text), .user("Hi")])
        options.injectSchemaIntoPrompt = false
        #expect(prepare([.user("Hi")], options).messages == [.user("Hi")])
    }

    @Test("System prompt, functions and schema are in one system message, once, at every turn")
    func everythingOnce() throws {
        let options = GenerationOptions(jsonSchemaConstraint: .object(["answer": .integer()]))
        let support = FunctionCallSupport(format: .hermes, takesFunctions: false)
        var history: [ChatMessage] = [.system("Be brief.")]
        for _ in 0..<3 {
            history.append(.user("Hi"))
            let prompt = prepare(history, options, support: support)
            #expect(prompt.messages.filter { $0.role == .system }.count == 1)
            #expect(Array(prompt.messages.dropFirst()) == Array(history.dropFirst()))
            let text = try #require(prompt.messages.first?.text)
            for part in ["Be brief.", "You can call functions.", "\"name\": \"look\"", "JSON Schema", "\"answer\":"] {
                #expect(text.split(separator: part, omittingEmptySubsequences: false).count == 2, "\(part)")
            }
            history.append(.assistant("Ho"))
        }
    }
}
