// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyTesting
import Testing

@Suite("Functions that cannot be offered")
struct FunctionCheckTests {
    private func function(_ name: String, _ schema: JSONValue) -> Function {
        Function(name: name, description: "", parameters: JSONSchema(schema))
    }

    @Test("A schema that cannot be enforced is refused by name, and the others are of use without it")
    func refusals() async throws {
        let good = function("good", ["type": "object", "properties": ["a": ["type": "string"]]])
        let never = function("never", ["type": "object", "required": ["a"], "properties": ["a": false]])
        let odd = function("odd", ["type": "object", "properties": ["a": ["type": "string", "pattern": "(?=x)y"]]])
        let runner = try ScriptedRunners.runner(
            saying: #"<tool_call>{"name": "good", "arguments": {"a": "x"}}</tool_call>"#)
        let refusals = runner.refusals(of: [good, never, odd])
        #expect(refusals.map(\.name) == ["never", "odd"])
        #expect(refusals.allSatisfy { $0.reason.contains("cannot be enforced") })
        // With one of them the reply fails; without them it does not.
        for (functions, works) in [([good, odd], false), ([good], true)] {
            let conversation = runner.createConversation()
            let completion = try? await conversation.reply(to: "Hello", functions: functions).completion
            #expect((completion?.finishReason == .functionCall) == works)
        }
    }

    @Test("Functions of which nothing is wrong are not refused")
    func none() throws {
        let runner = try ScriptedRunners.runner(saying: "")
        #expect(runner.refusals(of: []).isEmpty)
        #expect(runner.refusals(of: [function("good", ["type": "object"])]).isEmpty)
    }
}
