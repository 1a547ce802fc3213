// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyOpenAI
import ParleyTesting
import Testing

@Suite("Editing and saving a history", .timeLimit(.minutes(15)))
struct HistoryTests {
    private let runner = ScriptedRunner(replies: ["A", "B", "C"])

    private func conversation() -> Conversation {
        let history: [ChatMessage] = [.system("Be brief."), .user("one"), .assistant("A"), .user("two")]
        let conversation = runner.createConversationFromHistory(history)
        conversation.registerFunction(Function(name: "look", description: "Looks"))
        conversation.contextPolicy = .dropOldestTurns
        conversation.busyPolicy = .queue
        return conversation
    }

    @Test("A message can be replaced and the history truncated after it; functions and policies are kept")
    func editing() throws {
        let conversation = conversation()
        let question = conversation.history[1]
        var edited = question
        edited.content = [.text("uno")]
        try conversation.replaceMessage(edited)
        #expect(conversation.history.map(\.text) == ["Be brief.", "uno", "A", "two"])
        #expect(conversation.history[1].id == question.id)
        try conversation.truncateHistory(after: question.id)
        #expect(conversation.history.map(\.text) == ["Be brief.", "uno"])
        try conversation.replaceHistory([.user("new")])
        #expect(conversation.history == [.user("new")])
        #expect(conversation.functions.map(\.name) == ["look"])
        #expect(conversation.contextPolicy == .dropOldestTurns)
        let error = #expect(throws: ConversationError.self) { try conversation.truncateHistory(after: question.id) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("take the ids from") == true)
    }

    @Test("A branch begins with a copy of the history and then continues independently")
    func branching() async throws {
        let conversation = conversation()
        let branch = try conversation.branch(after: conversation.history[1].id)
        #expect(branch.id != conversation.id)
        #expect(branch.history == [.system("Be brief."), .user("one")])
        #expect(branch.functions == conversation.functions)
        #expect(branch.contextPolicy == .dropOldestTurns && branch.busyPolicy == .queue)
        #expect(try conversation.branch().history == conversation.history)
        _ = try await branch.reply(to: "another way").completion
        #expect(branch.history.count == 4 && conversation.history.count == 4)
        #expect(conversation.history.last == .user("two"))
    }

    @Test("The history cannot be edited while a reply is generated")
    func busy() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [ScriptedReply(steps: [.wait(gate), .token("A")])])
            .createConversation()
        let reply = conversation.reply(to: "one")
        await gate.arrival()
        let error = #expect(throws: ConversationError.self) { try conversation.replaceHistory([]) }
        #expect(error?.code == .busy)
        gate.open()
        _ = try await reply.completion
        try conversation.replaceHistory([])
        #expect(conversation.history.isEmpty)
    }

    @Test("Changes after a request do not affect it")
    func snapshot() async throws {
        let conversation = runner.createConversation()
        let reply = conversation.reply(to: "one")
        conversation.appendToHistory(.user("later"))
        conversation.registerFunction(Function(name: "look", description: "Looks"))
        _ = try await reply.completion
        #expect(runner.requests.map(\.messages) == [[.user("one")]])
        #expect(runner.requests.map(\.functions.count) == [0])
    }

    @Test("A restored conversation has its id, and its messages have theirs and their dates")
    func saving() throws {
        let conversation = conversation()
        let data = try JSONEncoder().encode(conversation.record)
        let record = try JSONDecoder().decode(ConversationRecord.self, from: data)
        let resumed = Conversation(resuming: record, modelRunner: runner)
        #expect(resumed.id == conversation.id)
        #expect(resumed.history == conversation.history)
        #expect(resumed.history.map(\.id) == conversation.history.map(\.id))
        for (one, other) in zip(resumed.history, conversation.history) {
            #expect(abs(one.date.timeIntervalSince(other.date)) < 0.001)
        }
        #expect(Set(conversation.history.map(\.id)).count == 4)
    }

    @Test(
        "Files from before messages had ids can be read, and so can exports",
        arguments: [
            #"[{"role": "user", "content": "Hi"}]"#,
            #"[{"role": "user", "content": [{"type": "text", "text": "Hi"}], "id": "msg_1", "created": "today"}]"#,
            #"{"id": "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "messages": [{"role": "user", "content": "Hi"}]}"#,
        ])
    func reading(text: String) throws {
        let record = try JSONDecoder().decode(ConversationRecord.self, from: Data(text.utf8))
        #expect(record.messages == [.user("Hi")])
    }

    @Test(
        "Of a damaged file, or one with what only a newer version knows, it is said which message is wrong",
        arguments: [
            (
                #"[{"role": "user", "content": "Hi"}, {"role": "king", "content": "x"}]"#,
                "messages[1].role must be one of"
            ),
            (
                #"{"id": "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "messages": [{"role": "user", "content": 3}], "new": 1}"#,
                "messages[0].content must be a string"
            ),
        ])
    func damaged(text: String, message: String) throws {
        let error = #expect(throws: ConversationError.self) {
            try JSONDecoder().decode(ConversationRecord.self, from: Data(text.utf8))
        }
        #expect(error?.code == .serializationFailed)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test("An export contains no ids, which other programs do not expect")
    func exporting() throws {
        let text = String(decoding: try conversation().exportToJSON(), as: UTF8.self)
        #expect(!text.contains(#""id""#) && !text.contains(#""created""#))
    }
}
