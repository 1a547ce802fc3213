// SPDX-License-Identifier: Apache-2.0

import Dispatch
import OrderedCollections
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

/// Properties that can be tested only with a real model.
@Suite("The default model", .enabled(if: References.has(References.defaultModel), References.hint))
struct DefaultModelTests {
    private let weather = Function(
        name: "get_weather", description: "The weather in a city",
        parameters: [FunctionParameter(name: "city", type: .string(), description: "The city's name")])

    @Test("It answers a question")
    func answer() async throws {
        let conversation = try await DefaultModel.runner().createConversation()
        let completion = try await conversation.reply(
            to: "Say hello.", generationOptions: GenerationOptions(temperature: 0, maxTokens: 40)
        ).completion
        #expect(completion.message.text.contains("Hello"))
    }

    @Test("It calls a function when a call is required")
    func requiredCall() async throws {
        let conversation = try await DefaultModel.runner().createConversation()
        conversation.registerFunction(weather)
        let completion = try await conversation.reply(
            to: "What is the weather in Paris?",
            generationOptions: GenerationOptions(temperature: 0, maxTokens: 200, functionCalling: .named("get_weather"))
        ).completion
        #expect(completion.finishReason == .functionCall)
        let call = try #require(completion.message.functionCalls?.first)
        #expect(call.name == "get_weather")
        #expect(call["city"]?.string?.contains("Paris") == true)
    }

    @Test("It calls a function without a requirement as recorded, and the call is valid")
    func lazyCall() async throws {
        let runner = try await DefaultModel.runner()
        var history: [ChatMessage] = []
        for (number, city) in ["Rome", "Oslo", "Cairo"].enumerated() {
            let call = FunctionCall(id: "call\(number)", name: "get_weather", arguments: ["city": .string(city)])
            history += [
                .user("What is the weather in \(city)?"),
                ChatMessage(role: .assistant, content: [], functionCalls: [call]),
                .functionResult("Sunny", for: call), .assistant("It is sunny in \(city)."),
            ]
        }
        let conversation = runner.createConversationFromHistory(history)
        conversation.registerFunction(weather)
        let completion = try await conversation.reply(
            to: "What is the weather in Paris?", generationOptions: GenerationOptions(temperature: 0, maxTokens: 100)
        ).completion
        let call = try #require(completion.message.functionCalls?.first)
        #expect(call.name == "get_weather")
        #expect(call["city"]?.string != nil)
        #expect(completion.info.rejectedFunctionCalls.isEmpty)
    }

    @Test("Its replies are valid for a schema, at a high temperature too", arguments: [1, 2, 3])
    func schema(seed: UInt64) async throws {
        let conversation = try await DefaultModel.runner().createConversation()
        let completion = try await conversation.reply(
            to: "Describe a person.",
            generationOptions: GenerationOptions(
                temperature: 1, topK: 0, topP: 1, minP: 0, seed: seed, maxTokens: 300,
                jsonSchemaConstraint: try JSONSchema(
                    parsing: """
                        {"type": "object", "required": ["name", "age", "likes"], "additionalProperties": false,
                         "properties": {
                           "name": {"type": "string", "minLength": 1, "maxLength": 40},
                           "age": {"type": "integer", "minimum": 0, "maximum": 120},
                           "likes": {"type": "array", "minItems": 1, "maxItems": 3,
                                     "items": {"enum": ["tea", "coffee", "water"]}}}}
                        """))
        ).completion
        #expect(completion.finishReason == .stop)
        let value = try JSONValue(parsing: completion.message.text)
        #expect(value["name"]?.string?.isEmpty == false)
        #expect((0...120).contains(value["age"]?.integer ?? -1))
        #expect((1...3).contains(value["likes"]?.array?.count ?? 0))
    }

    @Test("Unloading ends what is being generated")
    func unloading() async throws {
        let runner = try await DefaultModel.runner()
        let conversation = runner.createConversation()
        let isFirst = Atomic(true)
        let reason = await withCheckedContinuation { ended in
            conversation.generateResponse(
                // Some four hundred tokens.
                message: .user("Write a long story about a lighthouse."),
                generationOptions: GenerationOptions(temperature: 0),
                onResponse: { response in
                    if case .complete(let completion) = response { ended.resume(returning: completion.finishReason) }
                    guard isFirst.exchange(false, ordering: .relaxed) else { return }
                    // The reply is never far ahead of its callbacks, so that it has not ended yet.
                    let isUnloaded = DispatchSemaphore(value: 0)
                    Task {
                        await runner.unload()
                        isUnloaded.signal()
                    }
                    isUnloaded.wait()
                })
        }
        #expect(reason == .cancelled)
        #expect(conversation.history.count == 2)
    }
}
