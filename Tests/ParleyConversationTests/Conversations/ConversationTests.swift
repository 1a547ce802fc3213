// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("Conversation", .timeLimit(.minutes(15)))
struct ConversationTests {
    /// A reply that waits after its first word until the gate is opened.
    func heldUp(_ gate: Gate, _ rest: String = " world") -> ScriptedReply {
        ScriptedReply(
            steps: [.token("Hello"), .token(" "), .wait(gate)] + TokenCuts.words.tokens(of: rest).map { .token($0) })
    }

    @Test("A reply streams and enters the history")
    func reply() async throws {
        let conversation = ScriptedRunner(replies: ["<think>Easy.</think>Paris is it."]).createConversation(
            systemPrompt: "Be brief.")
        var text = ""
        var reasoning = ""
        var completion: MessageCompletion?
        for try await response in conversation.reply(to: "Capital of France?") {
            switch response {
            case .chunk(let piece): text += piece
            case .reasoningChunk(let piece): reasoning += piece
            case .complete(let end): completion = end
            default: Issue.record("\(response)")
            }
        }
        #expect(text == "Paris is it.")
        #expect(reasoning == "Easy.")
        let message = ChatMessage(
            role: .assistant, content: [.text("Paris is it.")], reasoningContent: "Easy.",
            rawOutput: "<think>Easy.</think>Paris is it.")
        #expect(completion?.message == message)
        #expect(completion?.finishReason == .stop)
        #expect(completion?.stats?.completionTokens == 3)
        #expect(completion?.stats?.totalTokens == (completion?.stats?.promptTokens ?? 0) + 3)
        #expect(conversation.history == [.system("Be brief."), .user("Capital of France?"), message])
    }

    @Test("A reply with function calls has a finish reason of its own, and rejected calls are reported")
    func functionCalls() async throws {
        let runner = ScriptedRunner(replies: [
            #"<tool_call>{"name": "look"}</tool_call><tool_call>{"name": </tool_call>"#
        ])
        let conversation = runner.createConversation()
        conversation.registerFunction(Function(name: "look", description: "old"))
        conversation.registerFunction(Function(name: "look", description: "new"))
        #expect(conversation.functions.map(\.description) == ["new"])
        let completion = try await conversation.reply(to: "Look!").completion
        #expect(completion.finishReason == .functionCall)
        #expect(completion.message.functionCalls == [FunctionCall(id: "call00001", name: "look", arguments: [:])])
        #expect(completion.info.rejectedFunctionCalls.map(\.text) == [#"<tool_call>{"name": </tool_call>"#])
        #expect(completion.info.prompt.functionCallFormat == "hermes")
        conversation.unregisterFunction(named: "look")
        #expect(conversation.functions.isEmpty)
    }

    @Test("While a reply is generated, another request has no effect")
    func busy() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [heldUp(gate)]).createConversation()
        let first = conversation.reply(to: "One")
        await gate.arrival()
        #expect(conversation.isGenerating)
        let refused = conversation.reply(to: "Two")
        let error = await #expect(throws: ConversationError.self) { for try await _ in refused {} }
        #expect(error?.code == .busy)
        await #expect(throws: ConversationError.self) { try await refused.completion }
        conversation.busyPolicy = .ignore
        let ignored = conversation.reply(to: "Three")
        for try await response in ignored { Issue.record("\(response)") }
        await #expect(throws: ConversationError.self) { try await ignored.completion }
        gate.open()
        for try await _ in first {}
        #expect(!conversation.isGenerating)
        #expect(conversation.history == [.user("One"), .assistant("Hello  world")])
    }

    @Test("Queued requests run in order, and the message of one that was stopped while waiting stays in its position")
    func queue() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [heldUp(gate), "B", "C"]).createConversation()
        conversation.busyPolicy = .queue
        let first = conversation.reply(to: "one")
        await gate.arrival()
        let second = conversation.reply(to: "two")
        let heard = await withCheckedContinuation { heard in
            conversation.generateResponse(message: .user("never"), onResponse: { heard.resume(returning: $0) })?.stop()
        }
        guard case .complete(let completion) = heard else {
            Issue.record("\(heard)")
            return
        }
        #expect(completion.finishReason == .cancelled)
        #expect(conversation.history.map(\.text) == ["one", "never"])
        let abandoned = Task {
            for try await _ in conversation.reply(to: "neither") {}
        }
        abandoned.cancel()
        _ = await abandoned.result
        let third = conversation.reply(to: "three")
        gate.open()
        for stream in [first, second, third] {
            for try await _ in stream {}
        }
        #expect(
            conversation.history.map(\.text) == ["one", "Hello  world", "two", "B", "never", "neither", "three", "C"])
    }

    @Test("A failure before the prompt was made adds nothing to the history; a later one keeps only the message")
    func failures() async throws {
        struct PowerCut: Error {}
        var early: ScriptedReply = "never"
        early.beforeAccepting = [.fail(ConversationError(.modelNotLoaded, "Gone."))]
        let late = ScriptedReply(steps: [.token("Hel"), .fail(PowerCut())])
        let conversation = ScriptedRunner(replies: [early, late, "fine"]).createConversation()
        let first = try await #require(throws: ConversationError.self) {
            try await conversation.reply(to: "one").completion
        }
        #expect(first.code == .modelNotLoaded)
        #expect(conversation.history.isEmpty)
        let second = try await #require(throws: ConversationError.self) {
            try await conversation.reply(to: "two").completion
        }
        #expect(second.code == .generationFailed)
        #expect(second.cause is PowerCut)
        #expect(second.message.contains("Ask again"))
        #expect(conversation.history == [.user("two")])
        #expect(!conversation.isGenerating)
        #expect(try conversation.removeLastMessage() == .user("two"))
        #expect(try await conversation.reply(to: "three").completion.message == .assistant("fine"))
    }

    @Test(
        "Stopping keeps the message and the partial reply, during decoding, during the prompt and before it is accepted"
    )
    func stopping() async throws {
        let gates = [Gate(), Gate(), Gate()]
        var inPrompt: ScriptedReply = "never"
        inPrompt.prompt = [.wait(gates[1])]
        var beforeAccepting: ScriptedReply = "never"
        beforeAccepting.beforeAccepting = [.wait(gates[2])]
        let runner = ScriptedRunner(replies: [heldUp(gates[0]), inPrompt, beforeAccepting])
        for (index, partial) in [[ChatMessage.assistant("Hello ")], [], []].enumerated() {
            let conversation = runner.createConversation()
            let log = ResponseLog()
            let handler = conversation.generateResponse(message: .user("Hi"), onResponse: { log.append($0) })
            await gates[index].arrival()
            handler?.stop()
            handler?.stop()
            try await log.end()
            #expect(conversation.history == [.user("Hi")] + partial)
            guard case .complete(let completion)? = log.responses.last else {
                Issue.record("\(log.responses)")
                continue
            }
            #expect(completion.finishReason == .cancelled)
        }
    }

    @Test("Unloading cancels the current reply and refuses waiting ones, and the history stays readable")
    func unloading() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [heldUp(gate), "never"])
        let conversation = runner.createConversation()
        conversation.busyPolicy = .queue
        let first = ResponseLog()
        let second = ResponseLog()
        conversation.generateResponse(message: .user("one"), onResponse: { first.append($0) })
        conversation.generateResponse(
            message: .user("two"), onResponse: { second.append($0) }, onError: { second.append($0) })
        await gate.arrival()
        await runner.unload()
        try await first.end()
        try await second.end()
        guard case .complete(let completion)? = first.responses.last else {
            Issue.record("\(first.responses)")
            return
        }
        #expect(completion.finishReason == .cancelled)
        #expect(completion.message == .assistant("Hello "))
        #expect(second.responses.isEmpty && second.errors.map(\.code) == [.modelNotLoaded])
        #expect(conversation.history == [.user("one"), completion.message])
    }

    @Test("Releasing a stream stops its generation")
    func dropping() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [heldUp(gate)]).createConversation()
        do {
            var iterator = conversation.reply(to: "Hi").makeAsyncIterator()
            _ = try await iterator.next()
            await gate.arrival()
        }
        await conversation.waitUntilIdle()
        #expect(conversation.history == [.user("Hi"), .assistant("Hello ")])
    }

    @Test("Waiting until idle returns immediately if nothing is running")
    func idle() async {
        await ScriptedRunner(replies: []).createConversation().waitUntilIdle()
    }

    @Test("A runner is told when a conversation ends")
    func end() {
        let runner = ScriptedRunner(replies: [])
        var conversation: Conversation? = runner.createConversation()
        let id = conversation?.id
        #expect(runner.endedConversations.isEmpty)
        conversation = nil
        #expect(runner.endedConversations == [id])
    }

    @Test("A runner that replied in another runner's conversation is told its end once")
    func guestsEnd() async throws {
        let (own, guest) = (ScriptedRunner(replies: []), ScriptedRunner(replies: ["A", "B"]))
        var conversation: Conversation? = own.createConversationFromHistory([.user("Hi")])
        let id = try #require(conversation?.id)
        for _ in 0..<2 {
            let (ends, end) = AsyncStream<Void>.makeStream()
            guest.generateResponse(conversation: try #require(conversation)) {
                if case .complete = $0 { end.finish() }
            } onError: { _ in
                end.finish()
            }
            for await _ in ends {}
            await conversation?.waitUntilIdle()
        }
        #expect(guest.endedConversations.isEmpty)
        conversation = nil
        // The task of the last reply holds the conversation a little longer.
        while own.endedConversations.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(own.endedConversations == [id])
        #expect(guest.endedConversations == [id])
    }

    @Test("Token budgets, timeouts and a full context end replies")
    func ends() async throws {
        var configuration = ScriptedRunner.Configuration()
        let clock = ManualClock()
        configuration.clock = clock
        configuration.contextTokens = 12
        // The conversation keeps the time too, by a clock that nobody moves.
        let time = Duration.seconds(600)
        let runner = ScriptedRunner(configuration) { request, _ in
            request.options.timeout == nil
                ? "a b c d e f g h i j k l m" : ScriptedReply(steps: [.token("a"), .sleep(time), .token("b")])
        }
        let conversation = runner.createConversation()
        let length = try await conversation.reply(to: "x", generationOptions: GenerationOptions(maxTokens: 2))
            .completion
        #expect(length.finishReason == .length)
        #expect(length.message.text == "a b")
        let full = try await runner.createConversation().reply(to: "x").completion
        #expect(full.finishReason == .contextFull)
        #expect(full.stats?.totalTokens == 12)
        async let late = runner.createConversation().reply(
            to: "x", generationOptions: GenerationOptions(timeout: time)
        ).completion
        await clock.sleeper()
        clock.advance(by: time)
        #expect(try await late.finishReason == .timeout)
        #expect(try await late.message == .assistant("a"))
    }

    @Test("Spoken answers enter the history as a WAV file")
    func audio() async throws {
        let reply = ScriptedReply(steps: [.part(.audio(samples: [0, 1, -1, .nan], sampleRate: 8_000))])
        let completion = try await ScriptedRunner(replies: [reply]).createConversation().reply(to: "Speak!").completion
        guard case .audio(let data)? = completion.message.content.first else {
            Issue.record("\(completion)")
            return
        }
        #expect(data.count == 44 + 8)
        #expect(Array(data.suffix(8)) == [0, 0, 0xFF, 0x7F, 0x01, 0x80, 0, 0])
    }

    @Test("The runner's low-level function replies to a history and reports errors")
    func lowLevel() async throws {
        let runner = ScriptedRunner(replies: ["fine"])
        let conversation = runner.createConversationFromHistory([.user("Hi")])
        let log = ResponseLog()
        runner.generateResponse(conversation: conversation, onResponse: { log.append($0) })
        try await log.end()
        #expect(conversation.history == [.user("Hi"), .assistant("fine")])
        #expect(log.responses.filter { if case .complete = $0 { true } else { false } }.count == 1)
        let failed = ResponseLog()
        runner.generateResponse(
            conversation: runner.createConversation(), onResponse: { failed.append($0) },
            onError: { failed.append($0) })
        try await failed.end()
        #expect(failed.responses.isEmpty && failed.errors.map(\.code) == [.invalidInput])
    }
}
