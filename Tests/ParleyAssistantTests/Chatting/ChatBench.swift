// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport
import ParleyTesting
import Synchronization

/// A chat over a scripted model, stores in memory and a clock that is advanced by hand.
@MainActor
struct ChatBench {
    let bench: Bench
    let runner: ScriptedRunner
    let clock = ManualClock()
    let history: ChatStore
    let chat: ChatViewModel
    private let dependencies: ChatDependencies

    init(
        _ replies: [ScriptedReply], web: MemoryWeb = MemoryWeb(), callsFunctions: Bool = false,
        settings: ChatSettings = ChatSettings(), loads: Bool = true, tools: [AssistantTool] = [],
        actions: ActionRunner.Settings = ActionRunner.Settings(),
        runner configuration: ScriptedRunner.Configuration = ScriptedRunner.Configuration()
    ) async throws {
        bench = try await Bench(actions, web: web, tools: tools)
        var configuration = configuration
        configuration.clock = clock
        runner = ScriptedRunner(configuration, replies: replies)
        history = ChatStore(directory: bench.directory.url.appending(path: "sessions"))
        let context = bench.context
        var dependencies = ChatDependencies(
            models: LoadedChatModel(
                ChatModel(
                    runner: runner, callsFunctions: callsFunctions, digest: "sha256:abc",
                    contextSize: configuration.contextTokens)), actions: bench.runner,
            systemPrompt: AssistantPrompt(context: { context }), settings: { settings }, clock: clock,
            context: { context })
        dependencies.history = history
        dependencies.documents = web
        self.dependencies = dependencies
        chat = ChatViewModel(dependencies)
        if loads { await chat.load() }
    }

    /// The same chat in another program, which shares nothing but the files.
    func another() async throws -> ChatViewModel {
        var dependencies = dependencies
        dependencies.history = ChatStore(directory: bench.directory.url.appending(path: "sessions"))
        let other = ChatViewModel(dependencies)
        await other.load()
        guard let kept = try await dependencies.history?.latest(chat.chatID) else { return other }
        await other.open(kept)
        return other
    }

    /// Sends a message and waits for the end of its turn.
    @discardableResult
    func send(_ text: String) async -> ChatItem? {
        chat.inputText = text
        chat.send()
        await chat.settled()
        return chat.messages.last
    }
}
