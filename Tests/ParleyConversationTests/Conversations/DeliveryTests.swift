// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyConversation
import ParleyTesting
import Synchronization
import Testing

@Suite("Delivery of replies", .timeLimit(.minutes(15)))
struct DeliveryTests {
    /// A runner that generates one word after another and counts them.
    final class Counting: ModelRunner {
        let modelID = "counting"
        let words: Int
        let written = Atomic(0)

        init(words: Int) {
            self.words = words
        }

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            for number in 0..<words {
                if Task.isCancelled { return GenerationOutcome(.cancelled) }
                written.add(1, ordering: .sequentiallyConsistent)
                await writer.write(.text("\(number) "))
            }
            return GenerationOutcome(.stop)
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int { 0 }

        func unload() async {}
    }

    /// A task-local value of the caller.
    @TaskLocal static var caller = "nobody"

    /// Answers with what the task that generates knows of the caller.
    private struct CallerEcho: ModelRunner {
        let modelID = "echo"
        let gate: Gate

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            writer.acceptPrompt()
            try await gate.wait()
            await writer.write(.text(DeliveryTests.caller))
            return GenerationOutcome(.stop)
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int { 0 }

        func unload() async {}
    }

    @Test("A request that has waited for another one is generated with its own caller's task-local values")
    func callersOfQueuedRequests() async throws {
        let gate = Gate()
        let conversation = CallerEcho(gate: gate).createConversation()
        conversation.busyPolicy = .queue
        let replies = ["Ada", "Ben"].map { name in Self.$caller.withValue(name) { conversation.reply(to: "Who am I?") }
        }
        gate.open()
        var texts: [String] = []
        for reply in replies { texts.append(try await reply.completion.message.text) }
        #expect(texts == ["Ada", "Ben"])
    }

    @Test("A reply is at most four pieces ahead of its callback")
    func backPressure() async {
        let runner = Counting(words: 200)
        let log = ResponseLog()
        let lead = Atomic(0)
        await withCheckedContinuation { ended in
            runner.createConversation().generateResponse(
                message: .user("Count!"),
                onResponse: { response in
                    log.append(response)
                    if case .complete = response { return ended.resume() }
                    let ahead = runner.written.load(ordering: .sequentiallyConsistent) - log.responses.count
                    lead.max(ahead, ordering: .relaxed)
                    // Gives a reply that is too fast the time to get ahead.
                    let mayGoOn = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async { mayGoOn.signal() }
                    mayGoOn.wait()
                })
        }
        #expect(log.responses.count == 201)
        #expect(lead.load(ordering: .relaxed) <= 4)
    }

    @Test("A reply that nobody reads is buffered in a few merged pieces, without loss")
    func joining() async throws {
        let runner = Counting(words: 5_000)
        let conversation = runner.createConversation()
        let unread = conversation.reply(to: "Count!")
        await conversation.waitUntilIdle()
        var text = ""
        var pieces = 0
        for try await response in unread {
            pieces += 1
            if case .chunk(let piece) = response { text += piece }
        }
        #expect(pieces <= 257)
        #expect(text == (0..<5_000).map { "\($0) " }.joined())
        #expect(conversation.history.last?.text == text)
    }

    @Test("Several tasks may read one stream: each piece goes to one of them, and all end")
    func sharing() async throws {
        let runner = Counting(words: 300)
        let stream = runner.createConversation().reply(to: "Count!")
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var pieces = 0
                    for try await _ in stream { pieces += 1 }
                    return pieces
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.reduce(0, +) <= 301 && counts.reduce(0, +) > 0)
    }

    @Test("Callbacks have the task-local values of the caller")
    func taskLocals() async {
        let known = await withCheckedContinuation { continuation in
            Self.$caller.withValue("Ada") {
                _ = Counting(words: 0).createConversation().generateResponse(
                    message: .user("Hi"), onResponse: { _ in continuation.resume(returning: Self.caller) })
            }
        }
        #expect(known == "Ada")
    }

    @Test("A callback may stop its reply, unload the model and wait for both")
    func unloadingInCallback() async {
        let runner = ScriptedRunner(replies: [ScriptedReply("one two three four five six seven eight nine ten")])
        let conversation = runner.createConversation()
        let log = ResponseLog()
        await withCheckedContinuation { ended in
            conversation.generateResponse(
                message: .user("Count!"),
                onResponse: { response in
                    log.append(response)
                    if case .complete = response { return ended.resume() }
                    guard log.responses.count == 1 else { return }
                    let isUnloaded = DispatchSemaphore(value: 0)
                    Task {
                        await runner.unload()
                        isUnloaded.signal()
                    }
                    isUnloaded.wait()
                })
        }
        guard case .complete(let completion)? = log.responses.last else {
            Issue.record("\(log.responses)")
            return
        }
        #expect(completion.finishReason == .cancelled)
        #expect(conversation.history == [.user("Count!"), completion.message])
    }

    @Test("Callbacks are released after the last call")
    func lettingGo() async {
        final class Consumer: Sendable {
            let handler = Mutex<(any GenerationHandler)?>(nil)
            let onEnd: @Sendable () -> Void
            init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let runner = Counting(words: 3)
        await withCheckedContinuation { gone in
            let consumer = Consumer { gone.resume() }
            let handler = runner.createConversation().generateResponse(
                message: .user("Hi"), onResponse: { _ in withExtendedLifetime(consumer) {} })
            consumer.handler.withLock { $0 = handler }
        }
    }

    @Test("A timeout ends a reply that waits for its prompt, a token, or its consumer")
    func timeouts() async throws {
        var early: ScriptedReply = "never"
        early.beforeAccepting = [.wait(Gate())]
        var inPrompt: ScriptedReply = "never"
        inPrompt.prompt = [.wait(Gate())]
        let inReply = ScriptedReply(steps: [.token("Hel"), .wait(Gate())])
        var configuration = ScriptedRunner.Configuration()
        // The runner's own clock stands still.
        configuration.clock = ManualClock()
        let options = GenerationOptions(timeout: .milliseconds(20))
        for (reply, partial) in [(early, [ChatMessage]()), (inPrompt, []), (inReply, [.assistant("Hel")])] {
            let conversation = ScriptedRunner(configuration, replies: [reply]).createConversation()
            let completion = try await conversation.reply(to: "Hi", generationOptions: options).completion
            #expect(completion.finishReason == .timeout)
            // On a busy machine the reply may not have got this far.
            let history = conversation.history
            #expect(history == [.user("Hi")] + partial || history == [.user("Hi")])
        }
        let runner = Counting(words: 100)
        let conversation = runner.createConversation()
        let mayReturn = DispatchSemaphore(value: 0)
        conversation.generateResponse(
            message: .user("Hi"), generationOptions: options, onResponse: { _ in mayReturn.wait() })
        await conversation.waitUntilIdle()
        for _ in 0..<101 { mayReturn.signal() }
        #expect(conversation.history.first == .user("Hi"))
        #expect(runner.written.load(ordering: .sequentiallyConsistent) <= 5)
    }

    @Test("Very long timeouts do no harm", arguments: [Int64.max, .min])
    func strangeTimeouts(seconds: Int64) async throws {
        let conversation = ScriptedRunner(replies: ["fine"]).createConversation()
        let options = GenerationOptions(timeout: .seconds(seconds))
        let completion = try? await conversation.reply(to: "Hi", generationOptions: options).completion
        #expect(completion?.message == (seconds > 0 ? .assistant("fine") : nil))
    }

    @Test("A timeout ends a request that waits for its turn, and its message stays in its position")
    func timeoutInQueue() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(steps: [.wait(gate), .token("A")]), "C"])
        let conversation = runner.createConversation()
        conversation.busyPolicy = .queue
        let first = conversation.reply(to: "one")
        await gate.arrival()
        let late = try await conversation.reply(
            to: "two", generationOptions: GenerationOptions(timeout: .milliseconds(20))
        ).completion
        #expect(late.finishReason == .timeout)
        #expect(conversation.history.map(\.text) == ["one", "two"])
        conversation.appendToHistory(.user("meanwhile"))
        let third = conversation.reply(to: "three")
        gate.open()
        for stream in [first, third] {
            for try await _ in stream {}
        }
        #expect(conversation.history.map(\.text) == ["one", "meanwhile", "A", "two", "three", "C"])
        #expect(runner.requests.map(\.messages.count) == [1, 5])
    }

    @Test("The message of a request that was stopped in the queue can be removed like any other")
    func removing() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [ScriptedReply(steps: [.wait(gate), .token("A")])])
            .createConversation()
        conversation.busyPolicy = .queue
        let first = conversation.reply(to: "one")
        await gate.arrival()
        conversation.generateResponse(message: .user("two"), onResponse: { _ in })?.stop()
        #expect(conversation.history.map(\.text) == ["one", "two"])
        #expect(try conversation.removeLastMessage()?.text == "two")
        // The message that is being answered stays.
        #expect(throws: ConversationError.self) { try conversation.removeLastMessage() }
        gate.open()
        for try await _ in first {}
        #expect(conversation.history.map(\.text) == ["one", "A"])
    }

    @Test("Waiting until idle ends when the task is cancelled")
    func cancelledWait() async {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [ScriptedReply(steps: [.wait(gate)])]).createConversation()
        let stream = conversation.reply(to: "one")
        await gate.arrival()
        let waiter = Task { await conversation.waitUntilIdle() }
        waiter.cancel()
        await waiter.value
        #expect(conversation.isGenerating)
        gate.open()
        withExtendedLifetime(stream) {}
        await conversation.waitUntilIdle()
    }
}
