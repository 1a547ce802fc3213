// SPDX-License-Identifier: Apache-2.0

/// A write to a store: what is there before it and what after it.
///
/// Records are whole, as the store keeps them, so that taking a change back brings back every byte.
public struct Change<Record: Hashable & Sendable>: Hashable, Sendable {
    /// What is there before; nil where something is made.
    public var before: Record?
    /// What is there after; nil where something is deleted.
    public var after: Record?

    /// A change from one record to another.
    public init(before: Record?, after: Record?) { (self.before, self.after) = (before, after) }

    /// The change that takes this one back.
    public var inverse: Change { Change(before: after, after: before) }
}

/// A write that was done, as the log keeps it; whoever writes the log adds when and in which conversation.
public struct LogEntry<Record: Hashable & Sendable>: Hashable, Sendable {
    /// Why something was written.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The action itself, agreed by the user or the policy.
        case action
        /// The user took it back.
        case undo
        /// The user moved it to a free time.
        case reschedule
        /// Another write of the same action failed, and this one was taken back.
        case rollback
    }

    /// What was written; its inverse takes it back.
    public var change: Change<Record>
    /// Why.
    public var reason: Reason
}
