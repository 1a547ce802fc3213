// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTesting
import Testing

@Suite("Reply", .timeLimit(.minutes(15)))
struct ReplyTests {
    /// A conversation whose reply waits after its first word until the gate is opened.
    private func heldUp() -> (Conversation, Gate) {
        let gate = Gate()
        let reply = ScriptedReply(steps: [.token("Hello"), .token(" "), .wait(gate), .token("world")])
        return (ScriptedRunner(replies: [reply, "fine"]).createConversation(), gate)
    }

    @Test("The completion is the last response, however often it is asked for")
    func completion() async throws {
        let reply = ScriptedRunner(replies: ["fine"]).createConversation().reply(to: "Hi")
        let early = try await reply.completion
        var responses: [MessageResponse] = []
        for try await response in reply { responses.append(response) }
        #expect(early.message == .assistant("fine"))
        #expect(responses.last == .complete(early))
        #expect(responses.dropLast().count > 0)
        #expect(try await reply.completion == early)
        for try await _ in reply { Issue.record("it was iterated to its end") }
    }

    @Test("How far a reply is comes beside its pieces, the newest first for a late reader, and ends with the reply")
    func progress() async throws {
        let gate = Gate()
        var script = ScriptedReply(steps: [.token("Hello")])
        script.beforeAccepting = [.progress(.queued(place: 2)), .progress(.queued(place: 1)), .wait(gate)]
        script.prompt = [.progress(.reading(10, of: 40))]
        let reply = ScriptedRunner(replies: [script]).createConversation().reply(to: "Hi")
        await gate.arrival()
        var progress = reply.progress.makeAsyncIterator()
        #expect(await progress.next() == .queued(place: 1))
        gate.open()
        let reading = await progress.next()
        #expect(reading == .reading(10, of: 40) && reading?.fraction == 0.25)
        #expect(await progress.next() == nil)
        #expect(try await reply.completion.message.text == "Hello")
        #expect(GenerationProgress.queued(place: 1).fraction == nil)
        #expect(GenerationProgress.reading(0, of: 0).fraction == 1)
    }

    @Test("After a stop, both an iterating and a waiting caller receive the completion")
    func stopping() async throws {
        let (conversation, gate) = heldUp()
        let reply = conversation.reply(to: "Hi")
        await gate.arrival()
        reply.stop()
        var last: MessageResponse?
        for try await response in reply { last = response }
        let completion = try await reply.completion
        #expect(last == .complete(completion))
        #expect(completion.finishReason == .cancelled)
        #expect(conversation.history == [.user("Hi"), .assistant("Hello ")])
        #expect(try await conversation.reply(to: "And now?").completion.message == .assistant("fine"))
    }

    @Test("Cancelling the task stops the reply, and the completion is still delivered", arguments: [false, true])
    func cancelling(iterates: Bool) async throws {
        let (conversation, gate) = heldUp()
        let reply = conversation.reply(to: "Hi")
        let task = Task {
            guard iterates else { return try await reply.completion }
            for try await response in reply {
                if case .complete(let completion) = response { return completion }
            }
            throw CancellationError()
        }
        await gate.arrival()
        task.cancel()
        let completion = try await task.value
        #expect(completion.finishReason == .cancelled)
        #expect(completion.message == .assistant("Hello "))
    }

    @Test("A failure is thrown to both an iterating and a waiting caller")
    func failing() async throws {
        let failing = ScriptedReply(steps: [.token("Hel"), .fail(ConversationError(.generationFailed, "Broken."))])
        let reply = ScriptedRunner(replies: [failing]).createConversation().reply(to: "Hi")
        let heard = await #expect(throws: ConversationError.self) { for try await _ in reply {} }
        #expect(heard?.code == .generationFailed)
        for _ in 0..<2 {
            let error = await #expect(throws: ConversationError.self) { try await reply.completion }
            #expect(error?.code == .generationFailed)
        }
    }

    @Test("Functions passed with a request apply to that reply only, instead of the conversation's")
    func functions() async throws {
        let runner = ScriptedRunner(replies: ["one", "two"])
        let conversation = runner.createConversation()
        conversation.registerFunction(Function(name: "look", description: "old"))
        conversation.registerFunction(Function(name: "hear", description: "old"))
        let own = [Function(name: "look", description: "new"), Function(name: "smell", description: "new")]
        _ = try await conversation.reply(to: "Hi", functions: own).completion
        _ = try await conversation.reply(to: "Hi").completion
        let names = runner.requests.map { $0.functions.map { "\($0.name) \($0.description)" } }
        #expect(names == [["hear old", "look new", "smell new"], ["look old", "hear old"]])
    }
}
