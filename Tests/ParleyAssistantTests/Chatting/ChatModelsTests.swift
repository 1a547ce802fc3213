// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport
import ParleyTesting
import Testing

@MainActor
@Suite("ChatViewModel: models")
struct ChatModelsTests {
    /// A usual model and one named `big`.
    private struct Models: ChatModelProvider {
        let usual: ScriptedRunner
        let big: ScriptedRunner

        func model() async throws -> ChatModel { ChatModel(runner: usual) }
        func model(_ name: String) async throws -> ChatModel {
            guard name == "big" else { throw AssistantError(.itemNotFound, "There is no model \(name).") }
            return ChatModel(runner: big, digest: "sha256:big")
        }
    }

    private let big: ScriptedRunner

    init() {
        var configuration = ScriptedRunner.Configuration()
        configuration.modelID = "big"
        big = ScriptedRunner(configuration, replies: ["Large."])
    }

    private func chat(_ bench: ChatBench) async -> ChatViewModel {
        var dependencies = bench.chat.dependencies
        dependencies.models = Models(usual: bench.runner, big: big)
        let chat = ChatViewModel(dependencies)
        await chat.load()
        return chat
    }

    private func send(_ text: String, _ chat: ChatViewModel) async -> String? {
        chat.inputText = text
        chat.send()
        await chat.settled()
        return chat.messages.last?.text
    }

    @Test("A reply is generated again by another model, and the next one by the chat's")
    func regenerating() async throws {
        let bench = try await ChatBench(["Small.", "Small again."])
        let chat = await chat(bench)
        #expect(await send("How large?", chat) == "Small.")
        #expect(chat.regenerate(try #require(chat.messages.last?.id), with: "big"))
        await chat.settled()
        #expect(chat.messages.last?.text == "Large." && chat.messages.last?.receipt?.model == "big")
        #expect(chat.viewState.status.model == "scripted")
        #expect(await send("And now?", chat) == "Small again.")
        #expect(bench.runner.requests.last?.messages.map(\.text).contains("Large.") == true)
    }

    @Test("A model that cannot be loaded makes the reply fail, and the chat goes on with its own")
    func missing() async throws {
        let bench = try await ChatBench(["Small."])
        let chat = await chat(bench)
        _ = await send("How large?", chat)
        chat.regenerate(try #require(chat.messages.last?.id), with: "huge")
        await chat.settled()
        #expect(chat.messages.last?.failure?.contains("huge") == true && !chat.isGenerating)
        #expect(chat.messages.last?.versions.count == 2)
        #expect(await send("And now?", chat) == "Small.")
    }

    @Test("The model that is chosen for a chat replies there, also when it is opened again, and in no other chat")
    func choosing() async throws {
        let bench = try await ChatBench(["Small."])
        let chat = await chat(bench)
        #expect(await chat.chooseModel("big"))
        #expect(chat.viewState.status.model == "big" && chat.modelName == "big")
        #expect(await send("How large?", chat) == "Large.")
        let kept = try #require(try await bench.history.chat(chat.chatID))
        #expect(kept.model == "big")
        await chat.startNewChat()
        #expect(chat.viewState.status.model == "big" && chat.chat.model == nil)
        #expect(await send("How large?", chat) == "Small.")
        await chat.open(kept)
        #expect(await send("Still?", chat) == "Large.")
        #expect(await !chat.chooseModel("huge"))
        #expect(chat.errorMessage?.contains("huge") == true && chat.chat.model == "big")
        #expect(await chat.chooseModel(nil))
        #expect(await send("And now?", chat) == "Small.")
        // What is written for another machine does not name it.
        #expect(try ChatImport.chats(from: Data(kept.export(.json).utf8)).first?.model == nil)
    }

    @Test("The use of the context adds up, and names the message that would be left out next")
    func context() async throws {
        let web = MemoryWeb(page: String(repeating: "word ", count: 50))
        let bench = try await ChatBench(["One two three.", "Four."], web: web)
        let chat = bench.chat
        let empty = try #require(await chat.contextUse())
        #expect(empty.size == 4_096 && empty.history == 0 && empty.documents == 0 && empty.nextDropped == nil)
        #expect(empty.prompt > 100 && empty.room == empty.size - empty.prompt)
        await bench.send("Count to three")
        let one = try #require(await chat.contextUse())
        // Two for each message, and a word is a token; the empty question of the bare prompt has two.
        #expect(one.history == 2 + 3 + 3 && one.nextDropped == nil)
        await bench.send("Go on")
        chat.attachments = [.document(try #require(URL(string: "https://example.org/a")))]
        let two = try #require(await chat.contextUse())
        #expect(two.documents > 50 && two.documents < 80)
        #expect(two.size == two.prompt + two.history + two.documents + two.room)
        #expect(two.nextDropped == "Count to three")
        #expect(bench.runner.requests.count == 2)
        let unknown = ChatViewModel(await self.chat(bench).dependencies)
        await unknown.load()
        #expect(await unknown.contextUse() == nil)
    }
}
