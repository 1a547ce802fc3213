// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An entry of the log: one write of one or several changes, with what became of each.
public struct ActionLogEntry: Hashable, Sendable, Identifiable {
    /// What became of a change.
    public enum Outcome: Hashable, Sendable {
        /// It was made.
        case done
        /// It was not made, because the item no longer existed.
        case gone
        /// It was not made, for the given reason.
        case failed(String)
        /// The process ended during the write, and the item has neither the content before nor that after: it was
        /// changed elsewhere in the meantime.
        case unclear
    }

    /// The number of the entry; later entries have larger ones.
    public var id: Int
    /// When it was written.
    public var time: Date
    /// Where the card comes from whose action it is; nil for an undo of an entry whose card is not there.
    public var origin: ActionOrigin?
    /// What was done, in a few words.
    public var title: String
    /// Why.
    public var reason: LogEntry<StoreItem>.Reason
    /// The number of the entry that this one undoes, if any.
    public var undoes: Int?
    /// The changes, with the complete items before and after.
    public var changes: [Change<StoreItem>]
    /// What became of each change; nil while that is not known.
    public var outcomes: [Outcome?]
    /// Whether what is written is the user's own: the action was proposed in a turn that read no text of others.
    public var isOwn = false

    /// Whether it is known what became of every change.
    public var isSettled: Bool { !outcomes.contains(nil) }
    /// Whether all changes were made.
    public var isDone: Bool { outcomes.allSatisfy { $0 == .done } }
    /// Why a change after one that failed was not made.
    static let notTried = "It was not tried, because another change failed."

    /// The changes that were made, in order.
    public var made: [Change<StoreItem>] { zip(changes, outcomes).filter { $0.1 == .done }.map(\.0) }
}

/// Where an action comes from. Nothing of the same origin is carried out twice.
public struct ActionOrigin: Hashable, Sendable, Codable {
    /// The identifier of the chat.
    public var chat: String
    /// The identifier of the message.
    public var message: String
    /// The place among the blocks and the function calls of the message, from 0.
    public var index: Int

    /// Creates an origin.
    public init(chat: String, message: String, index: Int) {
        (self.chat, self.message, self.index) = (chat, message, index)
    }

    /// The identifier of the card; the same in a copy of the chat.
    public var card: String { "\(message)#\(index)" }
}
