// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyTestSupport
import Testing

/// The replies of a real model are values of the type.
@Suite("Typed replies of the default model", .enabled(if: References.has(References.defaultModel), References.hint))
struct DefaultModelTests {
    @Generatable("A person in a story")
    struct Persona {
        @Generatable enum Role: String { case hero, villain, helper }

        @Guide("The first name", .pattern("^[A-Z][a-z]{1,11}$"))
        var name: String
        @Guide("Years", .range(1...99))
        var age: Int
        var role: Role
        @Guide("What the person likes", .count(1...3), .anyOf(["tea", "rain", "books", "swords"]))
        var likes: [String]
    }

    @Test("Replies are complete and satisfy their rules, also at a high temperature", arguments: [1, 2])
    func reply(seed: UInt64) async throws {
        let runner = try await LocalModelRunner.load(References.url(References.defaultModel).path)
        let conversation = runner.createConversation()
        let options = GenerationOptions(temperature: 1, topK: 0, topP: 1, seed: seed, maxTokens: 300)
        var parts: [Persona.Partial] = []
        var value: Persona?
        for try await response in conversation.streamResponse(
            to: "Invent a person for a story.", generating: Persona.self, generationOptions: options)
        {
            switch response {
            case .partial(let part): parts.append(part)
            case .complete(let whole, _): value = whole
            case .functionCall: Issue.record("there are no functions")
            }
        }
        let persona = try #require(value)
        #expect((1...99).contains(persona.age))
        #expect((1...3).contains(persona.likes.count))
        #expect(parts.count >= 4)
        #expect(parts.first?.name == persona.name && parts.first?.age == nil)
        #expect(parts.last?.likes == persona.likes)
        await runner.unload()
    }
}
