// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyConversation
import Synchronization

/// What `parley chat` and `parley run` talk in: a conversation that can begin anew.
package final class Chat: Sendable {
    /// A leaf lock.
    private let conversation: Mutex<Conversation>
    /// What is shown with the next message. A leaf lock.
    private let images: Mutex<[Data]>
    private let options: ParleyConversation.GenerationOptions

    /// Begins a chat.
    ///
    /// - Parameter images: JPEG or PNG files, shown with the first message.
    package init(
        _ runner: any ModelRunner, system: String?, images: [Data] = [], options: ParleyConversation.GenerationOptions
    ) {
        self.options = options
        self.images = Mutex(images)
        let history = system.map { [ChatMessage.system($0)] } ?? []
        conversation = Mutex(Self.conversation(history, runner))
    }

    /// What has been said, the system prompt first.
    package var history: [ChatMessage] { current.history }

    /// Forgets what was said; the system prompt stays.
    package func clear() {
        restart { $0.filter { $0.role == .system } }
    }

    /// Changes the system prompt from the next reply on; nil removes it.
    package func setSystem(_ system: String?) {
        restart { (system.map { [ChatMessage.system($0)] } ?? []) + $0.filter { $0.role != .system } }
    }

    /// Says something and waits for the end of the reply.
    ///
    /// Where the task is cancelled the reply ends soon, and what the model has written so far stays part of the chat;
    /// where it has written nothing, or has failed, the message is forgotten too.
    ///
    /// - Parameter show: called with each piece of the reply.
    /// - Throws: `ConversationError`.
    package func reply(
        to message: String, show: @escaping @Sendable (MessageResponse) -> Void
    ) async throws -> MessageCompletion {
        let conversation = current
        let count = conversation.history.count
        let images = images.withLock { $0 }
        let content = images.map { ChatMessageContent.image($0) } + [.text(message)]
        do {
            let completion = try await completion(of: conversation, .init(role: .user, content: content), show)
            if completion.finishReason == .cancelled, completion.message.isEmpty {
                conversation.removeLastMessage()
            } else {
                self.images.withLock { $0 = [] }
            }
            return completion
        } catch {
            if conversation.history.count > count { conversation.removeLastMessage() }
            throw error
        }
    }

    /// By callbacks: a stream ends at once when its task is cancelled, and the completion would be missed.
    private func completion(
        of conversation: Conversation, _ message: ChatMessage, _ show: @escaping @Sendable (MessageResponse) -> Void
    ) async throws -> MessageCompletion {
        let stopper = Stopper()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let handler = conversation.generateResponse(
                    message: message, generationOptions: options,
                    onResponse: { response in
                        if case .complete(let completion) = response {
                            continuation.resume(returning: completion)
                        } else {
                            show(response)
                        }
                    },
                    onError: { continuation.resume(throwing: $0) })
                stopper.take(handler)
            }
        } onCancel: {
            stopper.stop()
        }
    }

    private var current: Conversation { conversation.withLock { $0 } }

    private func restart(_ change: ([ChatMessage]) -> [ChatMessage]) {
        let old = current
        let new = Self.conversation(change(old.history), old.modelRunner)
        conversation.withLock { $0 = new }
    }

    private static func conversation(_ history: [ChatMessage], _ runner: any ModelRunner) -> Conversation {
        let conversation = runner.createConversationFromHistory(history)
        conversation.contextPolicy = .dropOldestTurns
        return conversation
    }
}

/// Stops a generation whose handler may come later than the wish to stop it.
private final class Stopper: Sendable {
    /// A leaf lock: the handler is called after it is released.
    private let state = Mutex<(handler: (any GenerationHandler)?, isWished: Bool)>((nil, false))

    func take(_ handler: (any GenerationHandler)?) {
        let isWished = state.withLock { state in
            state.handler = handler
            return state.isWished
        }
        if isWished { handler?.stop() }
    }

    func stop() {
        let handler = state.withLock { state in
            state.isWished = true
            return state.handler
        }
        handler?.stop()
    }
}
