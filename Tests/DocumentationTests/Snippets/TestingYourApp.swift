// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyTesting
import Testing

struct Assistant {
    var conversation: Conversation

    func title(for note: String) async throws -> String {
        let reply = try await conversation.reply(to: "Give this note a title: \(note)").completion
        return reply.message.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// The examples of TestingYourApp.md, which are tests themselves.
@Suite("Testing your app")
struct TestingYourApp {
    let weather = FunctionCalling.tool(FunctionCalling.Service())

    @Test("A title has no white space around it")
    func title() async throws {
        let runner = ScriptedRunner(replies: [" Groceries\n"])
        let assistant = Assistant(conversation: runner.createConversation())
        #expect(try await assistant.title(for: "Milk, eggs, bread") == "Groceries")
        #expect(runner.requests.first?.messages.last?.text == "Give this note a title: Milk, eggs, bread")
    }

    @Test("The weather is looked up before the answer")
    func lookingUp() async throws {
        let runner = ScriptedRunner(replies: [
            #"<tool_call>{"name": "get_weather", "arguments": {"city": "Bern"}}</tool_call>"#, "Take a coat.",
        ])
        let loop = FunctionLoop(conversation: runner.createConversation(), tools: [weather])
        var results: [String] = []
        for try await event in loop.run(.user("Do I need a coat in Bern?")) {
            if case .result(_, let message) = event { results.append(message.text) }
        }
        #expect(results == ["Snow in Bern"])
    }

    @Test("The part of a reply before it was stopped stays in the history")
    func stopping() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(steps: [.token("Once upon"), .wait(gate)])])
        let conversation = runner.createConversation()
        let task = Task { try await conversation.reply(to: "Tell me a story.").completion }
        await gate.arrival()
        task.cancel()
        await conversation.waitUntilIdle()
        #expect(conversation.history.last?.text == "Once upon")
    }

    @Test("A failing model throws")
    func failing() async throws {
        let failure = ConversationError(.generationFailed, "The power is gone.")
        let runner = ScriptedRunner(replies: [ScriptedReply(steps: [.fail(failure)])])
        let assistant = Assistant(conversation: runner.createConversation())
        await #expect(throws: ConversationError.self) { try await assistant.title(for: "Milk") }
    }

    @Test("The conformance suite passes", arguments: ModelRunnerConformance.checks)
    func rules(check: ModelRunnerConformance.Check) async throws {
        try await check.run(on: .init { ScriptedRunner(replies: ["One, two, three, four, five, six."]) })
    }
}
