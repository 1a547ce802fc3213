// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyLocal
import Testing

@Suite("Sounds for a model that hears nothing")
struct SoundTests {
    private struct Listener: SpeechTranscribing {
        func transcript(of wav: Data) async throws -> String { "hello" }
    }

    private let spoken = [ChatMessage(role: .user, content: [.audio(Data([1, 2, 3]))])]

    @Test("the tokens of a prompt with a sound are those of its text, as many as are counted")
    func tokens() async throws {
        let runner = try ScriptedRunners.runner(saying: "Hi.")
        runner.hear(with: Listener())
        let tokens = try await runner.promptTokens(messages: spoken, functions: [], options: nil)
        #expect(try await runner.promptTokens(messages: [.user("hello")], functions: [], options: nil) == tokens)
        #expect(try await runner.promptTokenCount(messages: spoken, functions: [], options: nil) == tokens.count)
    }

    @Test("without anybody who writes it down, a sound is refused")
    func refused() async throws {
        let runner = try ScriptedRunners.runner(saying: "Hi.")
        let error = await #expect(throws: ConversationError.self) {
            _ = try await runner.promptTokens(messages: spoken, functions: [], options: nil)
        }
        #expect(error?.code == .invalidInput)
    }
}
