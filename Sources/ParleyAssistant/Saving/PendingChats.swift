// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What has been recorded and is not on the disk yet: of each chat and of each reply the newest value.
struct PendingChats: Sendable {
    /// The chats, in the order of their first values.
    private var chats: [Chat] = []
    /// The replies that grow, in the order of their last values.
    private var replies: [(chat: UUID, node: ChatNode)] = []
    private var isScheduled = false

    /// Takes a chat in place of an earlier value of it; one that is older is not taken.
    mutating func record(_ chat: Chat) {
        guard let place = chats.firstIndex(where: { $0.id == chat.id }) else { return chats.append(chat) }
        if chat.edits >= chats[place].edits { chats[place] = chat }
    }

    /// Takes a reply in place of an earlier value of it.
    mutating func record(_ reply: ChatNode, in chat: UUID) {
        replies.removeAll { $0.node.id == reply.id }
        replies.append((chat, reply))
    }

    /// Notes that writing is wanted.
    ///
    /// - Parameter isForLater: whether it may wait. What may wait does not delay a chat, which may not.
    /// - Returns: whether it has to be scheduled.
    mutating func schedule(isForLater: Bool) -> Bool {
        defer { if isForLater { isScheduled = true } }
        return !isScheduled || !isForLater
    }

    /// Takes out everything that is to be written.
    mutating func take() -> (chats: [Chat], replies: [(chat: UUID, node: ChatNode)]) {
        defer { self = PendingChats() }
        return (chats, replies)
    }
}
