// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyOpenAI
import ParleyTesting
import Testing

// The examples in the comments of ParleyConversation, and of what ParleyTesting has for it, word for word.

private func show(_ text: String) {}

private func heldBlockExample() {
    var options = GenerationOptions()
    let place = JSONSchema.object(["city": .string()])
    options.heldBlocks = [HeldBlock(opening: "[MAP:", schema: place, closing: "]")]
    // "Here it is: [MAP:{"city":"Paris"}] Shall I zoom in?"
}

private func conversationConvenienceExample() async throws {
    func capital(_ conversation: Conversation) async throws -> String {
        try await conversation.reply(to: "What is the capital of France?").completion.message.text
    }
}

private func replyExample() async throws {
    func ask(_ conversation: Conversation) async throws {
        let reply = conversation.reply(to: "What is the capital of France?")
        for try await response in reply {
            if case .chunk(let text) = response { show(text) }
        }
        show("\n\(try await reply.completion.finishReason)")
    }
}

private func conversationRecordExample() async throws {
    func save(_ conversation: Conversation) throws -> Data {
        try JSONEncoder().encode(conversation.record)
    }

    func resume(_ data: Data, _ runner: any ModelRunner) throws -> Conversation {
        Conversation(resuming: try JSONDecoder().decode(ConversationRecord.self, from: data), modelRunner: runner)
    }
}

private func conversationExample() async throws {
    func ask(_ runner: any ModelRunner) async throws {
        let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
        for try await response in conversation.reply(to: "What is the capital of France?") {
            switch response {
            case .chunk(let text): show(text)
            case .complete(let completion): show("\n\(completion.finishReason)")
            default: break
            }
        }
    }
}

private func conversationExportingExample() async throws {
    func copy(_ conversation: Conversation) throws -> Conversation {
        try Conversation(importing: conversation.exportToJSON(), modelRunner: conversation.modelRunner)
    }
}

private func functionCallFormatExample() async throws {
    var options = GenerationOptions(functionCallParser: .hermes)
    options.functionCallParser = FunctionCallFormat(HermesDialect(name: "mine", opening: "<<call", closing: ">>"))
    options.functionCallParser = .rawText
}

private func functionLoopExample() async throws {
    func ask(_ conversation: Conversation, tools: [FunctionTool]) async throws {
        let loop = FunctionLoop(conversation: conversation, tools: tools) { call in
            call.name == "delete_all" ? .deny(reason: "The user does not want that.") : .allow
        }
        for try await event in loop.run(.user("What is the weather in Bern?")) {
            if case .response(.chunk(let text)) = event { show(text) }
        }
    }
}

private func functionToolExample() async throws {
    struct Place: Decodable, Sendable { var city: String }

    let weather = FunctionTool(
        Function(
            name: "get_weather", description: "The weather in a city",
            parameters: [FunctionParameter(name: "city", type: .string())]),
        arguments: Place.self
    ) { place in "Sunny in \(place.city)" }
    _ = weather
}

private func functionExample() async throws {
    let weather = Function(
        name: "get_weather", description: "The weather in a city",
        parameters: [
            FunctionParameter(name: "city", type: .string(), description: "The city's name"),
            FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"]), optional: true),
        ])
    _ = weather
}

private func jSONSchemaExample() async throws {
    let city: JSONSchema = .object([
        "name": .string(description: "The city's name"),
        "population": .integer(minimum: 0),
    ])
    let same = try JSONSchema(parsing: #"{"type": "object"}"#)
    _ = (city, same)
}

private func chatMessageExample() async throws {
    let question = ChatMessage(role: .user, content: [.text("What is the capital of France?")])
    let same = ChatMessage.user("What is the capital of France?")
    _ = (question, same)
}

private func functionCallExample() async throws {
    func answer(_ call: FunctionCall) -> ChatMessage {
        let city = call["city"]?.string ?? "nowhere"
        return .functionResult("Sunny in \(city)", for: call)
    }
}

private func generationOptionsDefaultsExample() async throws {
    let effective = GenerationOptions(temperature: 0).filled(from: GenerationOptions(temperature: 1, topK: 40))
    // temperature 0, topK 40
    _ = effective
}

private func generationOptionsExample() async throws {
    var options = GenerationOptions(temperature: 0.2, maxTokens: 256)
    options.stop = ["\n\n"]
    options.jsonSchemaConstraint = .object(["answer": .boolean()])
}

private func preparedPromptExample() async throws {
    func prepare(_ request: GenerationRequest, template: String) -> PreparedPrompt {
        PreparedPrompt(
            messages: request.messages, functions: request.functions, options: request.options,
            support: FunctionCallSupport(template: template))
    }
}

private func responseRouterExample() async throws {
    var router = ResponseRouter(.init(functionCalls: .hermes))
    var parts = router.append("<think>Hm.</think>Let me ", tokens: 7)
    parts += router.append(#"see. <tool_call>{"name": "look"}</tool_call>"#, tokens: 12)
    parts += router.finish()
    // .reasoning("Hm."), .text("Let me see. "), .functionCalls([look])
}

private func modelRunnerExample() async throws {
    struct Echo: ModelRunner {
        let modelID = "echo"

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            writer.acceptPrompt()
            for word in (request.messages.last?.text ?? "").split(separator: " ") {
                if Task.isCancelled { return GenerationOutcome(.cancelled) }
                await writer.write(.text("\(word) "))
            }
            return GenerationOutcome(.stop)
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int {
            messages.reduce(0) { $0 + $1.text.split(separator: " ").count }
        }

        func unload() async {}
    }
}

private func runnerGateExample() async throws {
    final class Remote {
        let gate = RunnerGate()

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            try await gate.run(writer) { GenerationOutcome(.stop) }
        }

        func unload() async { await gate.close() }
    }
}

private func cancellationStressExample() async throws {
    func stress(_ runner: any ModelRunner) async throws {
        let report = try await CancellationStress(rounds: 100).run(on: runner)
        print(report.stopped, report.latencies.max() ?? .zero)
    }
}

struct ModelRunnerConformanceExample {
    @Test(arguments: ModelRunnerConformance.checks)
    func keepsTheRules(check: ModelRunnerConformance.Check) async throws {
        let subject = ModelRunnerConformance.Subject { ScriptedRunner(replies: ["One, two, three, four, five."]) }
        try await check.run(on: subject)
    }
}

private func previewConversationsExample() async throws {
    let conversation = PreviewConversations.runner().createConversationFromHistory(PreviewConversations.functionCall)
    _ = conversation
}

private func gateExample() async throws {
    let gate = Gate()
    let reply = ScriptedReply(steps: [.token("Hel"), .wait(gate), .token("lo")])
    // … start a generation, then:
    await gate.arrival()  // "Hel" has been generated
    gate.open()
    _ = reply
}

private func manualClockExample() async throws {
    let clock = ManualClock()
    // … start something that sleeps on it, then:
    await clock.sleeper()
    clock.advance(by: .seconds(5))
}

private func scriptedReplyExample() async throws {
    let simple: ScriptedReply = "Paris."
    let cut = ScriptedReply("<think>Easy.</think>Paris.", cuts: .every(3))
    let broken = ScriptedReply(steps: [.token("Par"), .fail(ConversationError(.generationFailed, "No power."))])
    _ = (simple, cut, broken)
}

private func scriptedRunnerExample() async throws {
    let runner = ScriptedRunner(replies: ["Paris.", "You are welcome."])
    let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
    _ = conversation
}
