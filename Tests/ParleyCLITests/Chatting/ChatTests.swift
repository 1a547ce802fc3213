// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyTesting
import Testing

@Suite("Chat")
struct ChatTests {
    private func runner(context: Int) async throws -> LocalModelRunner {
        let directory = try ParleyProcess()
        try directory.writeModel()
        let model = try await NativeModel.load(
            directory.directory.appending(path: "tiny.gguf"), configuration: .init(context: context, threads: 1))
        return try LocalModelRunner(model, contextSize: context)
    }

    private func chat(context: Int, maxTokens: Int = 8) async throws -> Chat {
        Chat(
            try await runner(context: context), system: "Be brief.",
            options: GenerationOptions(temperature: 0, repetitionPenalty: 1, maxTokens: maxTokens))
    }

    @Test("the second turn processes only its new tokens")
    func prefixReuse() async throws {
        let chat = try await chat(context: 256)
        let first = try #require(try await chat.reply(to: "hello") { _ in }.stats)
        let second = try #require(try await chat.reply(to: "and the world") { _ in }.stats)
        #expect(first.cachedPromptTokens == 0)
        #expect(second.cachedPromptTokens >= first.promptTokens)
        #expect(chat.history.map(\.role) == [.system, .user, .assistant, .user, .assistant])
    }

    @Test("images belong to the first message only, and keep their position in it")
    func images() async throws {
        let runner = try await runner(context: 256)
        let image = Data("some image".utf8)
        let chat = Chat(runner, system: nil, images: [image], options: GenerationOptions(temperature: 0, maxTokens: 4))
        let completion = try await chat.reply(to: "what is this?") { _ in }
        #expect(completion.info.prompt.droppedImages == 1)
        _ = try await chat.reply(to: "and now?") { _ in }
        #expect(chat.history.map { $0.content.contains(.image(image)) } == [true, false, false, false])
    }

    @Test("turns that no longer fit are left out whole, with a remark")
    func droppingTurns() async throws {
        let chat = try await chat(context: 128)
        var dropped = 0
        for number in 0..<8 {
            dropped = try await chat.reply(to: "message \(number)") { _ in }.info.prompt.droppedTurns
        }
        #expect(dropped > 0)
        #expect(chat.history.count == 17)
    }

    @Test("a message that cannot fit is an error and does not enter the history")
    func oversizedMessage() async throws {
        let chat = try await chat(context: 128)
        await #expect(throws: ConversationError.self) {
            try await chat.reply(to: String(repeating: "x", count: 500)) { _ in }
        }
        #expect(chat.history == [.system("Be brief.")])
    }

    @Test("a stopped reply keeps its text; without any text the message is removed as well")
    func cancellation() async throws {
        let chat = try await chat(context: 512, maxTokens: 400)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await chat.reply(to: "hello") { _ in }
        }
        let reply = try await task.value
        #expect(reply.finishReason == .cancelled)
        #expect((chat.history.count == 1) == reply.message.isEmpty)
    }

    @Test("clearing the chat keeps the system prompt, and changing the system prompt keeps the chat")
    func restarting() async throws {
        let chat = try await chat(context: 256)
        _ = try await chat.reply(to: "hello") { _ in }
        try chat.setSystem("Be long.")
        #expect(chat.history.map(\.role) == [.system, .user, .assistant])
        #expect(chat.history.first == .system("Be long."))
        try chat.clear()
        #expect(chat.history == [.system("Be long.")])
        try chat.setSystem(nil)
        #expect(chat.history.isEmpty)
    }
}
