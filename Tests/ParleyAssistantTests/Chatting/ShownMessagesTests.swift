// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTesting
import Testing

@MainActor
@Suite("What is shown of messages", .timeLimit(.minutes(15)))
struct ShownMessagesTests {
    /// A chat with so many messages, opened in a bench.
    private func bench(_ count: Int, _ replies: [ScriptedReply]) async throws -> ChatBench {
        let bench = try await ChatBench(replies)
        var chat = Chat()
        for number in 0..<count { chat.append(number % 2 == 0 ? .user("Q\(number)") : .assistant("A\(number)")) }
        await bench.chat.open(chat)
        return bench
    }

    /// Waits until the last message is as it must become.
    private func wait(_ chat: ChatViewModel, until isReached: (ChatItem) -> Bool) async {
        while !Task.isCancelled {
            if let last = chat.messages.last, isReached(last) { return }
            await Task.yield()
        }
    }

    @Test(
        "A piece of a reply makes one message anew, in a chat of 10 messages as in one of 1,000",
        arguments: [10, 1_000])
    func cost(count: Int) async throws {
        let gates = [Gate(), Gate()]
        let bench = try await bench(
            count, [ScriptedReply(steps: [.token("a "), .wait(gates[0]), .token("b "), .wait(gates[1]), .token("c.")])])
        let chat = bench.chat
        #expect(chat.viewState.messages.count == count && chat.messagesMade == count)
        chat.inputText = "Go on"
        chat.send()
        await gates[0].arrival()
        await wait(chat) { $0.text.hasPrefix("a") }
        let state = chat.viewState
        var made = chat.messagesMade
        #expect(chat.viewState == state && chat.messagesMade == made)
        gates[0].open()
        await gates[1].arrival()
        await wait(chat) { $0.text.hasPrefix("a b") }
        let next = chat.viewState
        #expect(chat.messagesMade == made + 1)
        let changes = next.changes(since: state)
        #expect(changes.count == 1)
        guard case .appended(let id, let text, _)? = changes.first else {
            Issue.record("The change is no piece of text.")
            return
        }
        #expect(id == chat.messages.last?.id && text.contains("b"))
        made = chat.messagesMade
        gates[1].open()
        await chat.settled()
        _ = chat.viewState
        #expect(chat.messagesMade == made + 1)
    }

    @Test("A message that is deleted, and another chat, are shown as they are")
    func structure() async throws {
        let bench = try await bench(6, [])
        let chat = bench.chat
        _ = chat.viewState
        await chat.delete(chat.messages[2].id)
        #expect(chat.viewState.messages.map(\.text) == ["Q0", "A1", "A3", "Q4", "A5"])
        await chat.startNewChat()
        #expect(chat.viewState.messages.isEmpty)
    }

    @Test("A reply tells its place in the queue, how much has been read, that it thinks, writes and is done")
    func states() async throws {
        let gates = (0..<4).map { _ in Gate() }
        var reply = ScriptedReply(steps: [
            .token("<think>Well. "), .wait(gates[2]), .token("</think>"), .token("Yes"), .wait(gates[3]),
        ])
        reply.beforeAccepting = [.progress(.queued(place: 3)), .wait(gates[0])]
        reply.prompt = [.progress(.reading(256, of: 1_024)), .wait(gates[1])]
        let bench = try await ChatBench([reply])
        let chat = bench.chat
        chat.thinkingEnabled = true
        func shown(_ state: ChatItem.State) async -> ChatViewState.Message? {
            await wait(chat) { $0.state == state }
            return chat.viewState.messages.last
        }
        chat.inputText = "Is it?"
        chat.send()
        #expect(chat.viewState.messages.last?.state == .preparing)
        let queued = await shown(.queued)
        #expect(queued?.state == .queued)
        #expect(queued?.place == 3 && queued?.fraction == nil)
        gates[0].open()
        let reading = await shown(.reading)
        #expect(reading?.state == .reading)
        #expect(reading?.place == nil && reading?.fraction == 0.25)
        gates[1].open()
        await gates[2].arrival()
        let thinking = await shown(.thinking)
        #expect(thinking?.state == .thinking)
        #expect(thinking?.fraction == nil && thinking?.thinkingSeconds == nil)
        bench.clock.advance(by: .milliseconds(2_500))
        gates[2].open()
        await gates[3].arrival()
        #expect(await shown(.writing)?.state == .writing)
        gates[3].open()
        await chat.settled()
        let done = await shown(.done)
        #expect(done?.thinkingSeconds == 2.5 && done?.thinking.hasPrefix("Well.") == true)
        // All of it is there again when the chat is opened.
        await chat.open(try #require(try await bench.history.chat(chat.chatID)))
        #expect(chat.viewState.messages.last?.thinkingSeconds == 2.5)
        #expect(chat.viewState.messages.last?.receipt == done?.receipt)
    }

    @Test("The time that a reply waits for others is not its own: its deadline begins with the reading")
    func queueTime() async throws {
        let gates = [Gate(), Gate()]
        var reply = ScriptedReply(steps: [.token("never")])
        reply.beforeAccepting = [.progress(.queued(place: 1)), .wait(gates[0])]
        reply.prompt = [.progress(.reading(1, of: 2)), .wait(gates[1])]
        let bench = try await ChatBench([reply])
        let chat = bench.chat
        chat.inputText = "Is it?"
        chat.send()
        await wait(chat) { $0.state == .queued }
        await bench.clock.sleeper()
        bench.clock.advance(by: .seconds(90))
        await bench.clock.sleeper()
        bench.clock.advance(by: .seconds(30))
        gates[0].open()
        await wait(chat) { $0.state == .reading }
        try #require(chat.messages.last?.state == .reading)
        bench.clock.advance(by: .seconds(60))
        await bench.clock.sleeper()
        bench.clock.advance(by: .seconds(29))
        for _ in 0..<50 { await Task.yield() }
        #expect(chat.isGenerating && chat.messages.last?.state == .reading)
        bench.clock.advance(by: .seconds(1))
        await chat.settled()
        #expect(chat.toast?.contains("too long") == true && !chat.isGenerating)
    }

    @Test("A reply that was stopped, took too long or failed says so")
    func endings() async throws {
        let gate = Gate()
        let bench = try await ChatBench([
            ScriptedReply(steps: [.token("Half"), .wait(gate)]),
            ScriptedReply(steps: [.fail(ConversationError(.generationFailed, "No power."))]),
            ScriptedReply("Cut", finishReason: .length),
        ])
        bench.chat.inputText = "Go on"
        bench.chat.send()
        await gate.arrival()
        bench.chat.stop()
        await bench.chat.settled()
        await bench.send("And?")
        await bench.send("And?")
        let replies = bench.chat.viewState.messages.filter { $0.author == .assistant }
        #expect(replies.map(\.state) == [.stopped, .failed, .done])
        #expect(replies.map(\.canBeContinued) == [true, true, true])
    }

    @Test("A message tells which of its versions is shown")
    func versions() async throws {
        let bench = try await ChatBench(["One.", "Two.", "Three."])
        let chat = bench.chat
        let first = try #require(await bench.send("Count"))
        #expect(chat.viewState.messages.map(\.versions.count) == [1, 1])
        chat.regenerate(first.id)
        await chat.settled()
        chat.regenerate(try #require(chat.messages.last?.id))
        await chat.settled()
        let versions = try #require(chat.viewState.messages.last?.versions)
        #expect(versions.index == 2 && versions.count == 3 && versions.ids.first == first.id)
        #expect(versions.ids.last == chat.messages.last?.id)
        #expect(chat.viewState.messages.first?.versions.count == 1)
        // Where the last version is deleted, the one before it is shown.
        await chat.delete(try #require(chat.messages.last?.id))
        #expect(chat.messages.map(\.text) == ["Count", "Two."])
        #expect(chat.viewState.messages.last?.versions.index == 1)
        #expect(chat.viewState.messages.last?.versions.count == 2)
    }

    @Test("A regenerated reply in which nothing came gives way to the one before it")
    func nothingCame() async throws {
        let gate = Gate()
        let bench = try await ChatBench(["One.", ScriptedReply(steps: [.wait(gate)])])
        let first = try #require(await bench.send("Count"))
        bench.chat.regenerate(first.id)
        await gate.arrival()
        bench.chat.stop()
        await bench.chat.settled()
        #expect(bench.chat.messages.map(\.text) == ["Count", "One."])
    }

    @Test("The receipt of a reply has its numbers, and keeps them in the file of the chat")
    func receipt() throws {
        var prompt = PromptReport(droppedTurns: 2)
        prompt.sampling = SamplingOptions(seed: .max)
        let stats = GenerationStats(
            promptTokens: 300, cachedPromptTokens: 280, completionTokens: 40, reasoningTokens: 9,
            tokensPerSecond: 31.41592, timeToFirstToken: .milliseconds(1_234))
        let receipt = ReplyReceipt(
            GenerationInfo(finishReason: .length, stats: stats, prompt: prompt), options: GenerationOptions(),
            model: "m")
        var chat = Chat()
        let id = chat.append(.assistant("Yes."))
        chat.update(id) { $0.receipt = receipt }
        let kept = try #require(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first?.nodes.first?.receipt)
        #expect(kept == receipt)
        #expect(kept.promptTokenCount == 300 && kept.cachedPromptTokens == 280 && kept.reasoningTokens == 9)
        #expect(kept.tokensPerSecond == 31.416 && kept.firstTokenSeconds == 1.234)
    }

    @Test("What a page gets of a receipt has its seed as text")
    func pageReceipt() async throws {
        let bench = try await ChatBench(["Hello there."])
        await bench.send("Hi")
        let receipt = try #require(bench.chat.viewState.messages.last?.receipt)
        #expect(receipt.model == "scripted" && receipt.ended == "stop")
        #expect(receipt.completionTokens == 2 && receipt.promptTokens > 100)
        let text = String(decoding: try JSONEncoder().encode(receipt), as: UTF8.self)
        #expect(text.contains(#""completion_tokens":2"#))
    }

    @Test("A search in a chat finds the messages with all words, in any case and without accents")
    func search() async throws {
        let bench = try await ChatBench(["The café opens at nine.", "It is closed."])
        await bench.send("When does it open?")
        await bench.send("And the cafe on Sunday?")
        bench.chat.searchText = "CAFE opens"
        #expect(bench.chat.searchResults.map(\.text) == ["The café opens at nine."])
        bench.chat.searchText = "cafe"
        #expect(bench.chat.viewState.status.searchResults.count == 2)
        bench.chat.searchText = " "
        #expect(bench.chat.searchResults.isEmpty)
    }
}
