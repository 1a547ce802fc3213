// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyLocal
import ParleyTestSupport
import Testing

/// Calls of functions by the default model, which has not been trained for them; what it writes is told by ``Measuring``.
@Suite(
    "The default model's function calls", .serialized,
    .enabled(if: References.has(References.defaultModel), References.hint))
struct DefaultModelFunctionTests {
    private static let functions = [
        Function(
            name: "get_weather", description: "The weather in a city",
            parameters: [
                FunctionParameter(name: "city", type: text(40), description: "The city's name"),
                FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"]), optional: true),
            ]),
        Function(
            name: "set_timer", description: "Rings after some minutes",
            parameters: [FunctionParameter(name: "minutes", type: .integer(minimum: 1, maximum: 600))]),
        Function(
            name: "search_web", description: "Searches the web",
            parameters: [FunctionParameter(name: "query", type: text(80))]),
    ]

    private static func text(_ longest: Int) -> JSONSchema {
        JSONSchema(["type": "string", "minLength": 1, "maxLength": .integer(longest)])
    }

    static let prompts = [
        "What is the weather in Paris?", "Set a timer for 12 minutes.", "Find out who wrote Middlemarch.",
        "Is it warmer in Oslo or in Rome?", "Good morning!",
    ]

    private func completion(
        to prompt: String, _ mode: FunctionCallingMode, format: FunctionCallFormat? = nil, history: [ChatMessage] = []
    ) async throws -> MessageCompletion {
        let conversation = try await DefaultModel.runner().createConversationFromHistory(history)
        for function in Self.functions { conversation.registerFunction(function) }
        let completion = try await conversation.reply(
            to: prompt,
            generationOptions: GenerationOptions(
                temperature: 0, maxTokens: 300, functionCallParser: format, functionCalling: mode)
        ).completion
        let calls = (completion.message.functionCalls ?? []).map {
            "\($0.name)\(JSONValue.object($0.arguments).text())"
        }
        Measuring.tell("\(mode), \"\(prompt)\" -> \(calls) \(completion.message.text.debugDescription)")
        return completion
    }

    private func requireRegistered(_ completion: MessageCompletion) throws {
        #expect(completion.finishReason == .functionCall)
        #expect(completion.info.rejectedFunctionCalls.isEmpty)
        let calls = try #require(completion.message.functionCalls)
        #expect(!calls.isEmpty)
        for call in calls {
            switch call.name {
            case "get_weather": #expect(call["city"]?.string?.isEmpty == false)
            case "set_timer": #expect((1...600).contains(call["minutes"]?.integer ?? 0))
            case "search_web": #expect(call["query"]?.string?.isEmpty == false)
            default: Issue.record("\(call.name)")
            }
        }
    }

    @Test("It calls a registered function with valid arguments when a call is required", arguments: prompts)
    func required(prompt: String) async throws {
        try requireRegistered(try await completion(to: prompt, .required))
    }

    @Test(
        "It calls the function that is named, in each form",
        arguments: [FunctionCallFormat.hermes, .lfmPythonic, .llama3JSON])
    func named(format: FunctionCallFormat) async throws {
        for (prompt, name) in zip(Self.prompts, ["get_weather", "set_timer", "search_web"]) {
            let completion = try await completion(to: prompt, .named(name), format: format)
            try requireRegistered(completion)
            #expect(completion.message.functionCalls?.map(\.name) == [name])
        }
    }

    @Test("Without a requirement it answers or calls a registered function", arguments: prompts)
    func automatic(prompt: String) async throws {
        var history: [ChatMessage] = []
        for (number, city) in ["Cairo", "Lima"].enumerated() {
            let call = FunctionCall(id: "call\(number)", name: "get_weather", arguments: ["city": .string(city)])
            history += [
                .user("What is the weather in \(city)?"),
                ChatMessage(role: .assistant, content: [], functionCalls: [call]),
                .functionResult("Sunny", for: call), .assistant("It is sunny in \(city)."),
            ]
        }
        for history in [[], history] {
            let completion = try await completion(to: prompt, .automatic, history: history)
            if completion.finishReason == .functionCall {
                try requireRegistered(completion)
            } else {
                #expect(completion.message.functionCalls == nil)
            }
        }
    }
}
