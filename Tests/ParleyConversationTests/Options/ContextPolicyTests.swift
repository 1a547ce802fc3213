// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON
import Testing

@Suite("Context policy")
struct ContextPolicyTests {
    /// In this history the size of a message in tokens is the length of its text.
    let history: [ChatMessage] = [
        .system("ss"), .user("aaaa"), .assistant("bbbb"), .user("cc"), .assistant("dd"), .user("eee"),
    ]

    func fit(_ policy: ContextPolicy, budget: Int) throws -> FittedPrompt {
        try policy.fit(history, budget: budget) { $0.reduce(0) { $0 + $1.text.count } }
    }

    @Test("A history that fits is not changed", arguments: [ContextPolicy.error, .dropOldestTurns])
    func fits(policy: ContextPolicy) throws {
        let fitted = try fit(policy, budget: 17)
        #expect(fitted.messages == history)
        #expect(fitted.promptTokens == 17)
        #expect(fitted.droppedTurns == 0)
    }

    @Test("A history that does not fit is an error with both sizes")
    func error() throws {
        let error = try #require(throws: ConversationError.self) { try fit(.error, budget: 16) }
        #expect(error.code == .promptExceedsContext)
        #expect(error.promptTokens == 17)
        #expect(error.contextTokens == 16)
    }

    @Test("As few of the oldest turns as possible are left out", arguments: [(16, 1), (9, 1), (8, 2), (5, 2)])
    func drops(budget: Int, turns: Int) throws {
        let fitted = try fit(.dropOldestTurns, budget: budget)
        #expect(fitted.droppedTurns == turns)
        #expect(fitted.messages == [history[0]] + history.dropFirst(1 + 2 * turns))
        #expect(fitted.promptTokens <= budget)
    }

    @Test("The messages of system and developer at the start stay, in any order")
    func instructions() throws {
        let rules: [ChatMessage] = [.init(role: .developer, content: [.text("d")]), .system("s")]
        for head in [rules, [rules[1], rules[0]], [rules[0]]] {
            let messages = head + history.dropFirst()
            let fitted = try ContextPolicy.dropOldestTurns.fit(messages, budget: head.count + 3) {
                $0.reduce(0) { $0 + $1.text.count }
            }
            #expect(fitted.messages == head + [.user("eee")])
            #expect(fitted.droppedTurns == 2)
        }
    }

    @Test("No fewer turns than needed are left out, for every budget", arguments: [1, 2, 3, 7, 12])
    func fewest(turns: Int) throws {
        let messages = [ChatMessage.system("s")] + (0..<turns).map { _ in ChatMessage.user("u") }
        for budget in 2...turns + 1 {
            let fitted = try ContextPolicy.dropOldestTurns.fit(messages, budget: budget) { $0.count }
            #expect(fitted.promptTokens == budget)
            #expect(fitted.messages.count == budget)
            #expect(fitted.droppedTurns == turns + 1 - budget)
        }
    }

    func fit(_ policy: ContextPolicy, maxTokens: Int?, context: Int) throws -> FittedPrompt {
        try policy.fit(history, for: GenerationOptions(maxTokens: maxTokens), context: context) {
            $0.reduce(0) { $0 + $1.text.count }
        }
    }

    @Test("Turns are dropped until half of the context is free for a reply of any length", arguments: [nil, 100])
    func half(maxTokens: Int?) throws {
        #expect(try fit(.dropOldestTurns, maxTokens: maxTokens, context: 34).droppedTurns == 0)
        #expect(try fit(.dropOldestTurns, maxTokens: maxTokens, context: 18).droppedTurns == 1)
        // What cannot be dropped may take more than half, all but one token.
        #expect(try fit(.dropOldestTurns, maxTokens: maxTokens, context: 6).promptTokens == 5)
        #expect(throws: ConversationError.self) { try fit(.dropOldestTurns, maxTokens: maxTokens, context: 5) }
        // Where nothing may be dropped, room for a token is enough.
        #expect(try fit(.error, maxTokens: maxTokens, context: 18).promptTokens == 17)
        #expect(throws: ConversationError.self) { try fit(.error, maxTokens: maxTokens, context: 17) }
    }

    @Test("A reply of a certain length has room under every policy")
    func room() throws {
        #expect(try fit(.error, maxTokens: 3, context: 20).droppedTurns == 0)
        let error = try #require(throws: ConversationError.self) { try fit(.error, maxTokens: 4, context: 20) }
        #expect(error.contextTokens == 16)
        #expect(try fit(.dropOldestTurns, maxTokens: 4, context: 20).droppedTurns == 1)
        #expect(try fit(.dropOldestTurns, maxTokens: 15, context: 20).promptTokens == 5)
        #expect(throws: ConversationError.self) { try fit(.dropOldestTurns, maxTokens: 16, context: 20) }
    }

    @Test("The system prompt and the last turn have to fit")
    func tooSmall() throws {
        let error = try #require(throws: ConversationError.self) { try fit(.dropOldestTurns, budget: 4) }
        #expect(error.promptTokens == 5)
    }

    @Test("A call is dropped together with its results, and tokens are counted only a few times")
    func turns() throws {
        let call = FunctionCall(id: "1", name: "f", arguments: [:])
        let turn: [ChatMessage] = [
            .user("q"), ChatMessage(role: .assistant, content: [], functionCalls: [call]),
            .functionResult("r", for: call), .assistant("a"),
        ]
        let long = (0..<1_000).flatMap { _ in turn }
        var asked = 0
        let fitted = try ContextPolicy.dropOldestTurns.fit(long, budget: 402) { messages in
            asked += 1
            return messages.count
        }
        #expect(fitted.messages.count == 400)
        #expect(fitted.droppedTurns == 900)
        #expect(asked <= 12)
    }
}
