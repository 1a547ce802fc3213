// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTesting
import Testing

@Suite("PreviewConversations")
struct PreviewConversationsTests {
    @Test(
        "conversations go on from each history",
        arguments: [PreviewConversations.greeting, PreviewConversations.reasoning, PreviewConversations.functionCall])
    func histories(history: [ChatMessage]) async throws {
        let conversation = PreviewConversations.runner().createConversationFromHistory(history)
        #expect(conversation.history.count == history.count)
        #expect(try await !conversation.reply(to: "And now?").completion.message.text.isEmpty)
    }
}
