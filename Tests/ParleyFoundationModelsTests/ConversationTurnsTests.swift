// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyFoundationModels
import ParleyJSON
import Testing

@Suite("Messages as turns for a model of Apple's")
struct ConversationTurnsTests {
    @Test("system messages are instructions, earlier messages are turns, the last one is the prompt")
    func messages() throws {
        let turns = try ConversationTurns(
            GenerationRequest(messages: [
                .system("Be brief."), .user("Hello"), .assistant("Hi."), .user("Who"), .user("are you?"),
            ]))
        #expect(turns.instructions == "Be brief.")
        #expect(turns.turns.map(\.prompt) == ["Hello"] && turns.turns.map(\.response) == ["Hi."])
        #expect(turns.prompt == "Who\n\nare you?")
    }

    @Test("replies in a row are one, and results of functions are told as text")
    func odd() throws {
        let call = FunctionCall(id: "1", name: "weather", arguments: [:])
        let turns = try ConversationTurns(
            GenerationRequest(messages: [
                .assistant("Welcome."), .user("Weather?"), .assistant("One moment."), .assistant("I look."),
                .functionResult("Rain", for: call),
            ]))
        #expect(turns.turns.map(\.prompt) == ["", "Weather?"])
        #expect(turns.turns.map(\.response) == ["Welcome.", "One moment.\n\nI look."])
        #expect(turns.prompt == "Result of weather: Rain")
    }

    @Test("what the model cannot do is refused with a word about it, before anything is generated")
    func refusals() throws {
        func code(_ request: GenerationRequest) -> ConversationError.Code? {
            do {
                _ = try ConversationTurns(request)
                return nil
            } catch {
                return error.code
            }
        }
        let function = Function(name: "f", description: "", parameters: [])
        var request = GenerationRequest(messages: [.user("Hello")], functions: [function])
        #expect(code(request) == .invalidInput)
        request.options.functionCalling = .none
        #expect(code(request) == nil)
        request.options.jsonSchemaConstraint = .boolean()
        #expect(code(request) == .invalidInput)
        #expect(code(GenerationRequest(messages: [.user("Hello"), .assistant("Hi.")])) == .invalidInput)
    }

    @Test("turns are left out oldest first, and the report counts them and the images")
    func report() throws {
        let picture = ChatMessage(role: .user, content: [.image(Data([1])), .text("What is it?")])
        var turns = try ConversationTurns(
            GenerationRequest(messages: [.user("a"), .assistant("b"), .user("c"), .assistant("d"), picture]))
        #expect(turns.dropOldestTurn() && turns.turns.map(\.prompt) == ["c"])
        #expect(turns.dropOldestTurn() && !turns.dropOldestTurn())
        #expect(turns.report.droppedTurns == 2 && turns.report.droppedImages == 1)
    }
}
