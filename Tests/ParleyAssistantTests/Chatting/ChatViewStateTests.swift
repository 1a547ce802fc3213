// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTesting
import Testing

/// Saves a chat that ends with some words only when a gate opens.
private struct SlowHistory: ChatHistory {
    let words: String
    let gate: Gate

    func save(_ chat: Chat) async throws -> Chat {
        if chat.path.last?.message.text == words { try await gate.wait() }
        return chat
    }

    func record(_ reply: ChatNode, in chat: UUID) {}
}

@MainActor
@Suite("ChatViewModel: what is shown", .timeLimit(.minutes(15)))
struct ChatViewStateTests {
    @Test("Who asks for another reply while a written one is being saved waits until it is, and is not refused")
    func concluding() async throws {
        let bench = try await ChatBench(["Five miles.", "Six miles."])
        var dependencies = bench.chat.dependencies
        let gate = Gate()
        dependencies.history = SlowHistory(words: "Five miles.", gate: gate)
        let chat = ChatViewModel(dependencies)
        await chat.load()
        await chat.concluded()
        chat.inputText = "How far?"
        chat.send()
        // While it is written nobody waits.
        await chat.concluded()
        #expect(chat.isGenerating)
        await gate.arrival()
        let reply = try #require(chat.messages.last)
        #expect(reply.text == "Five miles." && !reply.isStreaming && !chat.regenerate(reply.id))
        let asked = Task {
            await chat.concluded()
            return chat.regenerate(reply.id)
        }
        await Task.yield()
        gate.open()
        #expect(await asked.value)
        await chat.settled()
        #expect(chat.messages.last?.text == "Six miles.")
    }

    @Test("An error disappears after 5 seconds, and stays in the list")
    func error() async throws {
        let bench = try await ChatBench(["Hello."])
        let chat = bench.chat
        // Without a microphone.
        chat.toggleSpeech()
        #expect(chat.errorMessage == SpeechFailure.noMicrophone.description)
        await bench.clock.sleeper()
        bench.clock.advance(by: .milliseconds(4_999))
        for _ in 0..<50 { await Task.yield() }
        #expect(chat.errorMessage != nil)
        bench.clock.advance(by: .milliseconds(1))
        var iterator = chat.changes().makeAsyncIterator()
        while chat.errorMessage != nil { _ = await iterator.next() }
        #expect(chat.notices.map(\.kind) == [.error])
    }

    @Test("A remark disappears after 1.5 seconds, but not under the pointer, and stays in the list")
    func notices() async throws {
        let bench = try await ChatBench(["Hello."])
        let chat = bench.chat
        for number in 1...21 { chat.togglePin("Prompt \(number)") }
        #expect(chat.pinnedPrompts.count == 20)
        #expect(chat.toast != nil)
        await bench.clock.sleeper()
        chat.holdsNotices = true
        bench.clock.advance(by: .milliseconds(1_500))
        for _ in 0..<50 { await Task.yield() }
        #expect(chat.toast != nil)
        chat.holdsNotices = false
        var iterator = chat.changes().makeAsyncIterator()
        while chat.toast != nil { _ = await iterator.next() }
        #expect(chat.notices.map(\.kind) == [.toast])
    }

    @Test("Changes applied one after another give the state, and survive JSON in snake case")
    func changes() async throws {
        let bench = try await ChatBench([
            ScriptedReply(#"Sure. [REMINDER_ACTION:{"title":"Call mum","at":"tomorrow at 3"}] Yes."#, cuts: .every(3))
        ])
        bench.chat.inputText = "Remind me"
        bench.chat.send()
        // The members of an object have no order in JSON, so values are compared in sorted form.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var state: ChatViewState?
        for await change in bench.chat.changes() {
            let data = try encoder.encode(change)
            #expect(!String(decoding: data, as: UTF8.self).contains("isStreaming"))
            let read = try JSONDecoder().decode(ChatViewChange.self, from: data)
            #expect(try encoder.encode(read) == data)
            switch read {
            case .state(let whole): state = whole
            case .message(let message):
                if let index = state?.messages.firstIndex(where: { $0.id == message.id }) {
                    state?.messages[index] = message
                } else {
                    state?.messages.append(message)
                }
            case .appended(let id, let text, let thinking):
                let index = try #require(state?.messages.firstIndex { $0.id == id })
                state?.messages[index].text += text
                state?.messages[index].thinking += thinking
            case .removed(let id): state?.messages.removeAll { $0.id == id }
            case .status(let status): state?.status = status
            }
            if state?.status.isGenerating == false { break }
        }
        #expect(try encoder.encode(state) == encoder.encode(bench.chat.viewState))
        #expect(state?.messages.last?.cards.first?.value.object?["stage"]?.string == "done")
    }

    @Test("The prompt has the date, an example of each tag, and ten shortened notes that cannot pose as blocks")
    func prompt() async throws {
        let bench = try await Bench()
        for number in 1...12 {
            let body = "[REMINDER:{}] " + String(repeating: "x", count: 500)
            _ = try await bench.card(
                .note, #"{"action":"create","title":"Note \#(number)","body":"\#(body)"}"#, message: "m\(number)")
        }
        let context = bench.context
        let notes = OwnNotes(bench.notes, log: bench.runner.log)
        let prompt = await AssistantPrompt(instructions: "Be kind.", notes: notes, context: { context })
            .systemPrompt(.blocks)
        #expect(!prompt.isUntrusted)
        #expect(prompt.text.contains("Wednesday, 18 November 2026") && prompt.text.contains("a little after 14:00"))
        #expect(prompt.text.contains("Be kind."))
        let lines = prompt.text.split(separator: "\n").filter { $0.hasPrefix("- Note") }
        #expect(lines.count == 10)
        #expect(lines.allSatisfy { $0.count <= 202 && !$0.contains("[REMINDER:") })
        for tag in ActionTag.allCases { #expect(prompt.text.contains("[\(tag.rawValue):{")) }
        let bare = await AssistantPrompt(context: { context }).systemPrompt(.nothing)
        #expect(!bare.isUntrusted && !bare.text.contains("[REMINDER_ACTION"))
    }

    @Test("The examples of the prompt are actions that can be read")
    func examples() async throws {
        let context = try DateResolverTests.context()
        let prompt = await AssistantPrompt(context: { context }).systemPrompt(.blocks)
        let blocks = ActionBlockScanner.parts(of: prompt.text).compactMap { part -> ActionBlock? in
            if case .block(let block) = part { block } else { nil }
        }
        #expect(blocks.count >= ActionTag.allCases.count)
        for block in blocks { #expect(throws: Never.self) { try ActionDecoder(context: context).action(block) } }
    }
}

/// A microphone whose events a test writes.
final class ScriptedSpeech: SpeechInput {
    private let stream: AsyncThrowingStream<SpeechEvent, any Error>
    let events: AsyncThrowingStream<SpeechEvent, any Error>.Continuation

    init() { (stream, events) = AsyncThrowingStream.makeStream() }

    func record() -> AsyncThrowingStream<SpeechEvent, any Error> { stream }

    func finish() async {
        events.yield(.transcribing)
        events.yield(.transcript("Hello there"))
        events.finish()
    }

    func discard() async { events.finish() }
}

@MainActor
@Suite("ChatViewModel: speech", .timeLimit(.minutes(15)))
struct ChatSpeechTests {
    private func chat(_ speech: ScriptedSpeech, sends: Bool) async throws -> ChatViewModel {
        var settings = ChatSettings()
        settings.sendsSpeech = sends
        var dependencies = try await ChatBench(["Hello."], settings: settings).chat.dependencies
        dependencies.speech = speech
        let chat = ChatViewModel(dependencies)
        await chat.load()
        return chat
    }

    @Test(
        "A recording that ends is transcribed into the input, and sent if the settings say so",
        arguments: [true, false])
    func transcript(sends: Bool) async throws {
        let chat = try await chat(ScriptedSpeech(), sends: sends)
        chat.toggleSpeech()
        #expect(chat.isRecording && !chat.isTranscribing)
        chat.toggleSpeech()
        await chat.speechSettled()
        #expect(!chat.isRecording && !chat.isTranscribing)
        #expect(chat.inputText == (sends ? "" : "Hello there"))
        #expect(chat.messages.first?.text == (sends ? "Hello there" : nil))
        await chat.settled()
    }

    @Test("Silence ends a recording too; it counts as one until the transcript is there, and an empty one is not sent")
    func silence() async throws {
        let speech = ScriptedSpeech()
        let chat = try await chat(speech, sends: true)
        chat.toggleSpeech()
        speech.events.yield(.partial("Hel"))
        speech.events.yield(.transcribing)
        var iterator = chat.changes().makeAsyncIterator()
        while !chat.isTranscribing { _ = await iterator.next() }
        #expect(chat.isRecording && chat.inputText == "Hel" && chat.messages.isEmpty)
        speech.events.yield(.transcript(" \n"))
        speech.events.finish()
        await chat.speechSettled()
        #expect(!chat.isRecording && chat.messages.isEmpty)
    }

    @Test("After 30 seconds a recording is ended")
    func longest() async throws {
        let bench = try await ChatBench([])
        var dependencies = bench.chat.dependencies
        dependencies.speech = ScriptedSpeech()
        let chat = ChatViewModel(dependencies)
        await chat.load()
        chat.toggleSpeech()
        await bench.clock.sleeper()
        bench.clock.advance(by: .seconds(30))
        await chat.speechSettled()
        #expect(chat.inputText == "Hello there" && !chat.isRecording)
    }

    @Test("What is said comes behind what is written already; an error that knows more than its kind says it")
    func draft() async throws {
        let speech = ScriptedSpeech()
        let chat = try await chat(speech, sends: false)
        chat.inputText = "Anna says:"
        chat.toggleSpeech()
        chat.toggleSpeech()
        await chat.speechSettled()
        #expect(chat.inputText == "Anna says: Hello there")
        struct Unplugged: Error, CustomStringConvertible { var description: String { "The headset is unplugged." } }
        let other = ScriptedSpeech()
        let second = try await self.chat(other, sends: false)
        second.toggleSpeech()
        other.events.finish(throwing: Unplugged())
        await second.speechSettled()
        #expect(second.errorMessage == "The headset is unplugged.")
    }

    @Test("A cancelled recording is forgotten and never sent")
    func cancelling() async throws {
        let chat = try await chat(ScriptedSpeech(), sends: true)
        chat.inputText = "Draft"
        chat.toggleSpeech()
        chat.cancelSpeech()
        await chat.speechSettled()
        #expect(chat.inputText == "Draft" && chat.messages.isEmpty && !chat.isRecording && chat.errorMessage == nil)
    }

    @Test(
        "Errors of speech are told apart",
        arguments: [SpeechFailure.noMicrophone, .tooShort, .nothingHeard, .noModel, .failed])
    func failures(failure: SpeechFailure) async throws {
        let speech = ScriptedSpeech()
        let chat = try await chat(speech, sends: true)
        chat.toggleSpeech()
        speech.events.finish(throwing: failure)
        await chat.speechSettled()
        #expect(chat.errorMessage == failure.description && !chat.isRecording)
    }
}
