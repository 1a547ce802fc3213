// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What the list of chats shows of one.
public struct ChatSummary: Identifiable, Hashable, Sendable {
    /// The chat's id.
    public let id: UUID
    /// Its title.
    public var title: String
    /// When it was made.
    public var created: Date
    /// When it was last edited.
    public var changed: Date
    /// Whether it is shown before the others.
    public var isPinned: Bool
    /// The number of messages in the branch that is shown.
    public var messages: Int

    /// The summary of a chat.
    public init(_ chat: Chat) {
        (id, title, created, changed) = (chat.id, chat.title, chat.created, chat.changed)
        (isPinned, messages) = (chat.isPinned, chat.path.count)
    }

    init(id: UUID, title: String, created: Date, changed: Date, isPinned: Bool, messages: Int) {
        (self.id, self.title, self.created, self.changed) = (id, title, created, changed)
        (self.isPinned, self.messages) = (isPinned, messages)
    }

    /// Whether a chat stands before another one in the list: pinned ones first, then the last edited.
    static func isBefore(_ one: ChatSummary, _ other: ChatSummary) -> Bool {
        if one.isPinned != other.isPinned { return one.isPinned }
        return one.changed == other.changed ? one.id.uuidString < other.id.uuidString : one.changed > other.changed
    }
}
