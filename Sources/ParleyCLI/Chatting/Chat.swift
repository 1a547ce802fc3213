// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyConversation
import Synchronization

/// The conversation of `parley chat` and `parley run`, which can be cleared.
package final class Chat: Sendable {
    private let conversation: Conversation
    /// The images that are shown with the next message. No other lock is taken inside this one.
    private let images: Mutex<[Data]>
    private let options: ParleyConversation.GenerationOptions

    /// Begins a chat. `images` are JPEG or PNG files, which are shown with the first message.
    package init(
        _ runner: any ModelRunner, system: String?, images: [Data] = [], options: ParleyConversation.GenerationOptions
    ) {
        self.options = options
        self.images = Mutex(images)
        conversation = runner.createConversation(systemPrompt: system)
        conversation.contextPolicy = .dropOldestTurns
    }

    /// The messages so far, beginning with the system prompt.
    package var history: [ChatMessage] { conversation.history }

    /// Removes all messages except the system prompt.
    ///
    /// - Throws: `ConversationError` with code `busy` while a reply is being generated.
    package func clear() throws {
        try conversation.replaceHistory(history.filter { $0.role == .system })
    }

    /// Changes the system prompt from the next reply on; nil removes it.
    ///
    /// - Throws: `ConversationError` with code `busy` while a reply is being generated.
    package func setSystem(_ system: String?) throws {
        let others = history.filter { $0.role != .system }
        try conversation.replaceHistory((system.map { [.system($0)] } ?? []) + others)
    }

    /// Sends a message and waits for the end of the reply.
    ///
    /// If the task is cancelled, the reply ends soon, and the part written so far stays in the chat. If nothing was
    /// written, or the reply failed, the message is removed too.
    ///
    /// - Parameters:
    ///   - message: the user's message.
    ///   - show: called with each piece of the reply.
    /// - Returns: the end of the reply.
    /// - Throws: `ConversationError`.
    package func reply(
        to message: String, show: @escaping @Sendable (MessageResponse) -> Void
    ) async throws -> MessageCompletion {
        let count = conversation.history.count
        let images = images.withLock { $0 }
        let content = images.map { ChatMessageContent.image($0) } + [.text(message)]
        do {
            let reply = conversation.reply(to: .init(role: .user, content: content), generationOptions: options)
            for try await response in reply {
                if case .complete = response { break }
                show(response)
            }
            let completion = try await reply.completion
            if completion.finishReason == .cancelled, completion.message.isEmpty {
                try conversation.removeLastMessage()
            } else {
                self.images.withLock { $0 = [] }
            }
            return completion
        } catch {
            if conversation.history.count > count { _ = try? conversation.removeLastMessage() }
            throw error
        }
    }
}
