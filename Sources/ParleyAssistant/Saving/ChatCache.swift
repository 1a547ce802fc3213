// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The chats that were used last, as they are on the disk.
struct ChatCache {
    private let limit: Int
    private var chats: [(id: UUID, chat: Chat)] = []

    init(limit: Int) { self.limit = limit }

    /// A chat; nil if it is not kept.
    subscript(id: UUID) -> Chat? { chats.first { $0.id == id }?.chat }

    /// Keeps a chat, in the place of the one that was used longest ago where there are too many.
    mutating func keep(_ chat: Chat) {
        remove(chat.id)
        chats.append((chat.id, chat))
        if chats.count > limit { chats.removeFirst() }
    }

    mutating func remove(_ id: UUID) { chats.removeAll { $0.id == id } }
}
