// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyConversation
import ParleyTesting
import Testing

/// Writes down what is felt, and what is shown outside the app.
@MainActor
private final class Devices: HapticFeedback, LiveActivity {
    private(set) var felt: [HapticEvent] = []
    private(set) var shown: [String] = []

    func play(_ event: HapticEvent) { felt.append(event) }
    func begin(title: String) { shown.append("begin \(title)") }
    func end() { shown.append("end") }
}

/// Listens and pauses as a test says.
private struct Headphones: HandsFreeCoordinator {
    let changes: [Bool]

    func listening() -> AsyncStream<Bool> {
        AsyncStream { stream in
            for change in changes { stream.yield(change) }
            stream.finish()
        }
    }
}

@MainActor
@Suite("ChatViewModel: devices", .timeLimit(.minutes(15)))
struct ChatDevicesTests {
    private let devices = Devices()

    private func chat(
        _ replies: [ScriptedReply], speech: ScriptedSpeech? = nil, handsFree: Headphones? = nil
    ) async throws -> ChatViewModel {
        var settings = ChatSettings()
        settings.sendsSpeech = false
        var dependencies = try await ChatBench(replies, settings: settings).chat.dependencies
        dependencies.haptics = devices
        dependencies.liveActivity = devices
        dependencies.speech = speech
        dependencies.handsFree = handsFree
        let chat = ChatViewModel(dependencies)
        await chat.load()
        return chat
    }

    @Test("A message that is sent, a reply and a failure are felt, and shown outside the app until they end")
    func replies() async throws {
        let broken = ScriptedReply(steps: [.token("Par"), .fail(ConversationError(.generationFailed, "No power."))])
        let chat = try await chat(["Hello.", broken])
        for text in ["Good morning", "Again"] {
            chat.inputText = text
            chat.send()
            await chat.settled()
        }
        #expect(devices.felt == [.sent, .replied, .sent, .failed])
        #expect(devices.shown == ["begin Good morning", "end", "begin Good morning", "end"])
    }

    @Test("A reply that is stopped before anything came is shown to have ended")
    func stopping() async throws {
        let gate = Gate()
        let chat = try await chat([ScriptedReply(steps: [.wait(gate), .token("never")])])
        chat.inputText = "Go on"
        chat.send()
        await gate.arrival()
        chat.stop()
        await chat.settled()
        #expect(devices.felt == [.sent])
        #expect(devices.shown == ["begin Go on", "end"])
    }

    @Test("The beginning of a recording is felt, and whether it is kept", arguments: [true, false])
    func speech(isKept: Bool) async throws {
        let chat = try await chat([], speech: ScriptedSpeech())
        chat.toggleSpeech()
        if isKept { chat.toggleSpeech() } else { chat.cancelSpeech() }
        await chat.speechSettled()
        #expect(devices.felt == [.voiceStarted, isKept ? .voiceDone : .voiceCancelled])
    }

    @Test("Who ends a recording that has just ended by itself begins no other one")
    func lateEnd() async throws {
        let chat = try await chat([], speech: ScriptedSpeech())
        chat.toggleSpeech()
        chat.finishSpeech()
        await chat.speechSettled()
        chat.finishSpeech()
        #expect(!chat.isRecording)
        #expect(devices.felt == [.voiceStarted, .voiceDone])
    }

    @Test(
        "Whether hands-free use listens is told as long as it is followed",
        arguments: [[], [true], [true, false]] as [[Bool]])
    func handsFree(changes: [Bool]) async throws {
        let chat = try await chat([], handsFree: Headphones(changes: changes))
        await chat.followHandsFree()
        #expect(chat.isAutoListening == (changes.last ?? false))
    }
}
