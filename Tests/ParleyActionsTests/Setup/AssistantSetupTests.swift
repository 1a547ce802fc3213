// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyHTTP
import ParleyMCP
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("AssistantSetup")
struct AssistantSetupTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func setup(_ settings: String = "{}") throws -> AssistantSetup {
        let file = directory.url.appending(path: AssistantSettings.fileName)
        try Data(settings.utf8).write(to: file)
        var setup = try AssistantSetup(AssistantHome(reading: directory.url))
        setup.environment = [:]
        return setup
    }

    private func model(_ replies: [ScriptedReply], callsFunctions: Bool = false) -> ChatModel {
        ChatModel(runner: ScriptedRunner(replies: replies), callsFunctions: callsFunctions, contextSize: 4_096)
    }

    @MainActor
    @Test("One call makes a chat that acts on the folders of a directory, keeps its log and its history there")
    func acting() async throws {
        let setup = try setup()
        let model = model([#"[NOTE_ACTION:{"action":"create","title":"Gate","body":"4711"}]"#])
        let assistant = try await setup.assistant(over: LoadedChatModel(model), for: model)
        #expect(assistant.remarks.isEmpty && assistant.servers == nil)
        let chat = ChatViewModel(assistant.dependencies)
        await chat.load()
        chat.inputText = "Note that the code of the gate is 4711."
        chat.send()
        await chat.settled()
        #expect(chat.messages.last?.cards.map(\.stage) == [.done])
        let notes = try FileManager.default.contentsOfDirectory(atPath: setup.home.notes.path)
        #expect(notes.filter { $0.hasSuffix(".md") }.count == 1)
        #expect(await setup.log.entries(limit: 9).count == 1)
        #expect(try await setup.history.summaries().map(\.id) == [chat.chatID])
    }

    @MainActor
    @Test("What the settings deny is not offered, what they ask about is asked about, and the windows are theirs")
    func policy() async throws {
        let setup = try setup(
            #"{"deny":["habits"],"policy":{"notes":{"create":"ask"}},"history_window":3,"enrich":true}"#)
        let model = model([#"[NOTE_ACTION:{"action":"create","title":"Gate","body":"4711"}]"#])
        let assistant = try await setup.assistant(over: LoadedChatModel(model), for: model)
        #expect(assistant.dependencies.systemPrompt.tags == [.calendar, .note, .contacts, .reminder])
        let settings = assistant.dependencies.settings()
        #expect(settings.historyWindow == 3 && settings.enrichesNotes)
        let chat = ChatViewModel(assistant.dependencies)
        await chat.load()
        chat.inputText = "Note that"
        chat.send()
        await chat.settled()
        #expect(chat.messages.last?.cards.map(\.stage) == [.proposed])
    }

    @Test("A search engine without its key is a remark, or an error where the user asked for it")
    func search() async throws {
        var setup = try setup(#"{"search":"brave"}"#)
        let model = model(["Yes."])
        let assistant = try await setup.assistant(over: LoadedChatModel(model), for: model)
        #expect(assistant.dependencies.actions.stores.web == nil)
        #expect(assistant.remarks.count == 1 && assistant.remarks.first?.contains("BRAVE_API_KEY") == true)
        setup.environment = ["BRAVE_API_KEY": "k"]
        #expect(try await setup.assistant(over: LoadedChatModel(model)).dependencies.actions.stores.web != nil)
        setup.environment = [:]
        setup.needsSearch = true
        let needy = setup
        await #expect(throws: AssistantError.self) { _ = try await needy.assistant(over: LoadedChatModel(model)) }
    }

    @Test("Servers of tools that the model cannot use, or whose file cannot be read, are a remark")
    func tools() async throws {
        let file = directory.url.appending(path: "mcp.json")
        try Data(#"{"mcpServers":{"a":{"command":"/nowhere"}}}"#.utf8).write(to: file)
        var setup = try setup()
        let model = model(["Yes."])
        let without = try await setup.assistant(over: LoadedChatModel(model), for: model)
        #expect(without.servers == nil && without.remarks.first?.contains("does not call functions") == true)
        let calling = self.model(["Yes."], callsFunctions: true)
        let with = try await setup.assistant(over: LoadedChatModel(calling), for: calling)
        #expect(with.servers != nil && with.remarks.count == 1)
        try Data("{".utf8).write(to: file)
        let damaged = try await setup.assistant(over: LoadedChatModel(calling), for: calling)
        #expect(damaged.remarks.first?.contains("No tools are connected.") == true)
        setup.limits.policy.set(.tool, .deny)
        #expect(try await setup.assistant(over: LoadedChatModel(calling), for: calling).remarks.isEmpty)
        setup.limits.policy.set(.tool, .automatic)
        setup.toolFile = file
        let named = setup
        await #expect(throws: MCPError.self) {
            _ = try await named.assistant(over: LoadedChatModel(calling), for: calling)
        }
    }
}
