// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Keeps chats beyond the end of the process; ``ChatStore`` does.
public protocol ChatHistory: Sendable {
    /// Saves a chat; when it returns, nothing of it is lost if the process is killed.
    ///
    /// - Parameter chat: the chat.
    /// - Returns: the chat with what another process has added meanwhile.
    /// - Throws: any error, whose description is shown to the user.
    @discardableResult
    func save(_ chat: Chat) async throws -> Chat

    /// Takes note of how far a growing reply of a saved chat has come; at most the last tenth of a second may be lost.
    ///
    /// - Parameters:
    ///   - reply: the reply as it is now.
    ///   - chat: the chat.
    func record(_ reply: ChatNode, in chat: UUID)

    /// A chat as it is kept now, with what another process has added.
    ///
    /// - Parameter id: the chat.
    /// - Returns: the chat; nil if it is not kept, and by default, where no other process writes.
    /// - Throws: any error; the chat stays as it is shown then.
    func latest(_ id: UUID) async throws -> Chat?
}

extension ChatHistory {
    /// Nothing: no other process writes.
    public func latest(_ id: UUID) async throws -> Chat? { nil }
}

extension ChatStore: ChatHistory {
    /// The chat as it is on the disk; nil if it is not there.
    ///
    /// - Throws: ``AssistantError``, as ``chat(_:)``.
    public func latest(_ id: UUID) throws -> Chat? { contains(id) ? try chat(id) : nil }
}
