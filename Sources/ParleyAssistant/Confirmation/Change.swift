// SPDX-License-Identifier: Apache-2.0

/// A write to a store: the record before and after it.
///
/// Records are complete, as the store keeps them, so that undoing a change restores every byte.
public struct Change<Record: Hashable & Sendable>: Hashable, Sendable {
    /// The record before the change; nil if the change creates it.
    public var before: Record?
    /// The record after the change; nil if the change deletes it.
    public var after: Record?

    /// Creates a change from one record to another.
    public init(before: Record?, after: Record?) { (self.before, self.after) = (before, after) }

    /// The change that undoes this one.
    public var inverse: Change { Change(before: after, after: before) }
}

/// A completed write, as a log records it; the caller adds the time and the conversation.
public struct LogEntry<Record: Hashable & Sendable>: Hashable, Sendable {
    /// The reason for a write.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// The action itself, with the consent of the user or the policy.
        case action
        /// The user undid the action.
        case undo
        /// The user moved the event to a free time.
        case reschedule
        /// Another write of the same action failed, so this one was undone.
        case rollback
    }

    /// The change that was written; its inverse undoes it.
    public var change: Change<Record>
    /// The reason for the write.
    public var reason: Reason
}

extension Change: Codable where Record: Codable {}
