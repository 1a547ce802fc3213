// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyLocal
import ParleyTesting
import Testing

@Suite("Blocks that are held to a schema")
struct HeldBlockTests {
    private let blocks = [
        HeldBlock(
            opening: "[MAP:", schema: .object(["city": .string(oneOf: ["Bern", "Paris"])], required: ["city"]),
            closing: "]"),
        HeldBlock(
            opening: "[ALARM:", schema: .object(["minutes": .integer(minimum: 1, maximum: 9)]), closing: "]"),
    ]

    private func reply(saying text: String, functions: [Function] = []) async throws -> MessageCompletion {
        let runner = try ScriptedRunners.runner(saying: text)
        return try await runner.createConversation().reply(
            to: .user("Go on."),
            generationOptions: GenerationOptions(
                temperature: 0, repetitionPenalty: 1, maxTokens: 200, heldBlocks: blocks),
            functions: functions
        ).completion
    }

    @Test("What follows the opening satisfies the schema, and the text around blocks is free")
    func held() async throws {
        let text = try await reply(saying: #"Here {it} is: [MAP:{"city":"Rome, of course"#).message.text
        let parts = text.split(separator: "[MAP:", maxSplits: 1)
        #expect(parts.first == "Here {it} is: ")
        let payload = try #require(parts.last?.split(separator: "]", maxSplits: 1).first)
        let city = try JSONValue(parsing: String(payload)).object?["city"]?.string
        #expect(["Bern", "Paris"].contains(city))
    }

    @Test("Several blocks follow their own schemas, and the reply goes on after each")
    func several() async throws {
        let text = #"[ALARM:{"minutes":5}] and [MAP:{"city":"Bern"}] done"#
        #expect(try await reply(saying: text).message.text == text)
    }

    @Test("Blocks and function calls are held in the same reply")
    func withCalls() async throws {
        let time = Function(name: "get_time", description: "The time of day")
        let completion = try await reply(
            saying: #"[ALARM:{"minutes":70}] <tool_call>{"name": "get_tomorrow"#, functions: [time])
        let text = completion.message.text
        #expect(text.hasPrefix("[ALARM:"))
        let payload = text.dropFirst("[ALARM:".count).prefix { $0 != "]" }
        #expect(try JSONValue(parsing: String(payload)).object?["minutes"]?.integer == 7)
        #expect(completion.message.functionCalls?.map(\.name) == ["get_time"])
    }

    @Test("A schema that takes too much work to follow ends the reply with an error")
    func tooLarge() async throws {
        func lists(of items: JSONValue) -> JSONValue {
            .array((1...200).map { ["type": "array", "items": items, "maxItems": .integer($0)] })
        }
        let schema: JSONValue = [
            "anyOf": lists(of: ["$ref": "#/$defs/b"]), "$defs": ["b": ["anyOf": lists(of: ["type": "null"])]],
        ]
        let runner = try ScriptedRunners.runner(saying: "[X:[[null]]]")
        let block = HeldBlock(opening: "[X:", schema: JSONSchema(schema), closing: "]")
        let error = await #expect(throws: ConversationError.self) {
            _ = try await runner.createConversation().reply(
                to: .user("Go on."),
                generationOptions: GenerationOptions(temperature: 0, maxTokens: 40, heldBlocks: [block])
            ).completion
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("A schema that cannot be enforced is refused before anything is written")
    func refused() async throws {
        let runner = try ScriptedRunners.runner(saying: "hello")
        let block = HeldBlock(opening: "[X:", schema: JSONSchema(["type": "no such type"]), closing: "]")
        await #expect(throws: ConversationError.self) {
            _ = try await runner.createConversation().reply(
                to: .user("Go on."), generationOptions: GenerationOptions(heldBlocks: [block])
            ).completion
        }
    }
}
