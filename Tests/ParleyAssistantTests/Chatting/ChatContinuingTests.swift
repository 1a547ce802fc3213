// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTesting
import Testing

@MainActor
@Suite("ChatViewModel: going on", .timeLimit(.minutes(15)))
struct ChatContinuingTests {
    private let reminder = #"[REMINDER_ACTION:{"title":"Call mum","at":"tomorrow at 3"}]"#

    private func bench(_ replies: [ScriptedReply], continues: Bool = true) async throws -> ChatBench {
        var configuration = ScriptedRunner.Configuration()
        if continues { configuration.abilities = .continuing }
        return try await ChatBench(replies, runner: configuration)
    }

    /// A chat whose reply was stopped after its first words.
    private func stopped(_ words: String, then next: ScriptedReply, continues: Bool = true) async throws -> ChatBench {
        let gate = Gate()
        let bench = try await bench(
            [ScriptedReply(steps: [.token(words), .wait(gate)]), next], continues: continues)
        bench.chat.inputText = "Go on"
        bench.chat.send()
        await gate.arrival()
        bench.chat.stop()
        await bench.chat.settled()
        return bench
    }

    @Test("The model goes on with a reply that was stopped, in the same message, and what the whole proposes is done")
    func goingOn() async throws {
        let (first, second) = (reminder.prefix(30), reminder.dropFirst(30))
        let bench = try await stopped("Once. " + first, then: ScriptedReply(second + " Done.", cuts: .every(4)))
        let chat = bench.chat
        let reply = try #require(chat.messages.last)
        #expect(reply.ending == .stopped && reply.canBeContinued && reply.cards.isEmpty)
        #expect(chat.continueReply(reply.id))
        #expect(chat.messages.last?.text == "Once." || chat.messages.last?.text == "Once. ")
        #expect(chat.messages.last?.isStreaming == true && chat.messages.last?.ending == nil)
        #expect(!chat.continueReply(reply.id))
        await chat.settled()
        let whole = try #require(chat.messages.last)
        #expect(whole.id == reply.id && whole.text == "Once. Done." && whole.state == .continued)
        #expect(whole.cards.map(\.stage) == [.done])
        #expect(try await bench.bench.stores.reminders?.openReminders().map(\.title) == ["Call mum"])
        let request = try #require(bench.runner.requests.last)
        #expect(request.options.continuesLastMessage && request.options.maxReasoningTokens == 0)
        #expect(request.messages.last == .assistant("Once. " + first))
        // It is kept as it is now, with the receipts of both parts.
        let kept = try #require(try await bench.history.chat(chat.chatID))
        #expect(kept.path.last?.earlierReceipts.count == 1)
        await chat.open(kept)
        #expect(chat.messages.last?.state == .continued && chat.messages.last?.text == "Once. Done.")
        #expect(!chat.continueReply(reply.id))
    }

    @Test("A reply that is stopped again can be continued again")
    func again() async throws {
        let gate = Gate()
        let bench = try await stopped("One", then: ScriptedReply(steps: [.token(" two"), .wait(gate), .token("!")]))
        let chat = bench.chat
        let id = try #require(chat.messages.last?.id)
        #expect(chat.continueReply(id))
        await gate.arrival()
        chat.stop()
        await chat.settled()
        #expect(chat.messages.last?.text == "One two" && chat.messages.last?.state == .stopped)
        #expect(chat.continueReply(id))
        gate.open()
        await chat.settled()
        #expect(bench.runner.requests.last?.messages.last == .assistant("One two"))
    }

    @Test("A reply that failed with nothing is begun anew in its place")
    func failed() async throws {
        let broken = ScriptedReply(steps: [.fail(ConversationError(.generationFailed, "No power."))])
        let bench = try await bench([broken, "Fine."], continues: false)
        let reply = try #require(await bench.send("Are you there?"))
        #expect(reply.state == .failed && reply.canBeContinued)
        #expect(bench.chat.continueReply(reply.id))
        await bench.chat.settled()
        #expect(bench.chat.messages.map(\.text) == ["Are you there?", "Fine."])
        #expect(bench.chat.messages.last?.id == reply.id && bench.chat.messages.last?.state == .done)
        #expect(bench.runner.requests.last?.options.continuesLastMessage == false)
    }

    @Test("A reply that was begun after text of others asks when it is continued, also if that text is deleted")
    func begunUntrusted() async throws {
        let bench = try await bench([ScriptedReply(" " + reminder)])
        var chat = Chat()
        chat.append(.user("Remind me"))
        let id = chat.append(.assistant("Well."), state: .stopped)
        chat.update(id) { $0.cards = [["documents": [], "sources": [], "isUntrusted": true]] }
        await bench.chat.open(chat)
        #expect(bench.chat.continueReply(id))
        await bench.chat.settled()
        #expect(bench.chat.messages.last?.cards.map(\.stage) == [.proposed])
    }

    @Test("What cannot be continued is not: a whole reply, one before the last, and any with a model that cannot")
    func refusals() async throws {
        let bench = try await stopped("Half", then: "Whole.")
        let half = try #require(bench.chat.messages.last)
        let whole = try #require(await bench.send("And?"))
        #expect(!bench.chat.continueReply(half.id) && !bench.chat.continueReply(whole.id))
        #expect(!bench.chat.continueReply(UUID()))
        let unable = try await stopped("Half", then: "Whole.", continues: false)
        #expect(!unable.chat.continueReply(try #require(unable.chat.messages.last?.id)))
        #expect(unable.chat.toast?.contains("another one") == true && !unable.chat.isGenerating)
        #expect(unable.chat.messages.last?.ending == .stopped)
    }

    @Test("A message that is written during a reply is sent when it has ended, unless it is recalled")
    func queueing() async throws {
        let gates = [Gate(), Gate()]
        let bench = try await bench([
            ScriptedReply(steps: [.token("One."), .wait(gates[0])]),
            ScriptedReply(steps: [.token("Two."), .wait(gates[1])]), "Three.",
        ])
        let chat = bench.chat
        chat.inputText = "First"
        chat.send()
        #expect(!chat.queue(" \n"))
        #expect(chat.queue(" Second ") && !chat.queue("Third"))
        #expect(chat.viewState.status.queued == "Second")
        gates[0].open()
        await gates[1].arrival()
        #expect(chat.messages.map(\.text).prefix(3) == ["First", "One.", "Second"] && chat.queued == nil)
        #expect(chat.queue("Third"))
        #expect(chat.recall() == "Third" && chat.recall() == nil)
        gates[1].open()
        await chat.settled()
        #expect(chat.messages.map(\.text) == ["First", "One.", "Second", "Two."] && !chat.isGenerating)
        // Where nothing is to be waited for, it is sent at once.
        #expect(chat.queue("Third") && chat.queued == nil)
        await chat.settled()
        #expect(chat.messages.last?.text == "Three.")
    }

    @Test("A message that waits is sent after a stop too")
    func queueingBehindStop() async throws {
        let gate = Gate()
        let bench = try await bench([ScriptedReply(steps: [.token("One"), .wait(gate)]), "Two."])
        bench.chat.inputText = "First"
        bench.chat.send()
        await gate.arrival()
        bench.chat.queue("Second")
        bench.chat.stop()
        await bench.chat.settled()
        #expect(bench.chat.messages.map(\.text) == ["First", "One", "Second", "Two."])
    }

    @Test("Another version of a message is shown with what followed it")
    func versions() async throws {
        let bench = try await bench(["One.", "Two.", "Three."])
        let chat = bench.chat
        let first = try #require(await bench.send("Count"))
        await bench.send("Go on")
        chat.regenerate(first.id)
        await chat.settled()
        #expect(chat.messages.map(\.text) == ["Count", "Three."])
        #expect(await chat.show(version: first.id))
        #expect(chat.messages.map(\.text) == ["Count", "One.", "Go on", "Two."])
        #expect(chat.messages[1].versions.count == 2)
        #expect(try await bench.history.chat(chat.chatID)?.path.count == 4)
        #expect(await !chat.show(version: UUID()))
        let last = try #require(chat.messages[1].versions.last)
        await chat.delete(last)
        #expect(await chat.show(version: last))
        await chat.delete(last)
        #expect(await !chat.show(version: last))
    }

    @Test("A chat is renamed and pinned, and an empty name takes the title back")
    func naming() async throws {
        let bench = try await bench(["One."])
        let chat = bench.chat
        await bench.send("Count for me")
        await chat.rename("  Numbers\nand more ")
        await chat.pin(true)
        #expect(chat.sessionTitle == "Numbers and more" && chat.viewState.status.isPinned)
        let summary = try #require(try await bench.history.summaries().first)
        #expect(summary.title == "Numbers and more" && summary.isPinned)
        await chat.rename("")
        await chat.pin(false)
        #expect(chat.sessionTitle == "Count for me" && !chat.viewState.status.isPinned)
    }
}
