// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyEngine
import ParleyRuntime
import ParleyTesting
import Testing

@Suite("ChatSession")
struct ChatSessionTests {
    private func session(context: Int, maxTokens: Int = 8, stop: [String] = []) async throws -> ChatSession {
        let directory = try ParleyProcess()
        try directory.writeModel()
        let model = try await NativeModel.load(
            directory.directory.appending(path: "tiny.gguf"), configuration: .init(context: context, threads: 1))
        return try ChatSession(
            model: model, context: context, renderer: PromptRenderer(model.description.chatTemplate),
            system: "Be brief.", sampling: .greedy, stop: StopRules(strings: stop, maxTokens: maxTokens))
    }

    @Test("a second turn costs only what is new in it")
    func prefixReuse() async throws {
        let session = try await session(context: 256)
        let first = try await session.reply(to: "hello") { _ in }
        let second = try await session.reply(to: "and the world") { _ in }
        #expect(first.statistics.cachedPromptTokens == 0)
        #expect(second.statistics.cachedPromptTokens >= first.statistics.promptTokens)
        #expect(await session.history.turnCount == 2)
    }

    @Test("what no longer fits goes by whole turns, and the system prompt stays")
    func droppingTurns() async throws {
        let session = try await session(context: 128)
        var dropped = 0
        for number in 0..<8 { dropped += try await session.reply(to: "message \(number)") { _ in }.droppedTurns }
        let history = await session.history
        #expect(dropped > 0)
        #expect(history.turnCount == 8 - dropped)
        #expect(history.all.first?.content == "Be brief.")
        #expect(history.messages.first?.role == .user)
    }

    @Test("a message that cannot fit is an error and is forgotten")
    func oversizedMessage() async throws {
        let session = try await session(context: 128)
        await #expect(throws: RuntimeError.self) {
            try await session.reply(to: String(repeating: "x", count: 500)) { _ in }
        }
        #expect(await session.history.turnCount == 0)
    }

    @Test("a stopped reply keeps what was said, or nothing where nothing was said")
    func cancellation() async throws {
        let session = try await session(context: 512, maxTokens: 400)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.reply(to: "hello") { _ in }
        }
        let reply = try await task.value
        #expect(reply.finish == .cancelled)
        #expect(await session.history.messages.isEmpty == reply.text.isEmpty)
    }
}
