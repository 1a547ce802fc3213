// SPDX-License-Identifier: Apache-2.0

/// The state of one action from its proposal to its completion or undoing: a pure state machine for a card in the
/// conversation.
///
/// A card is created with the changes that an action proposes: one, or several of the same kind. It receives events and
/// returns effects to carry out; the outcome of a write is passed back as an event. The card itself never writes, and
/// returns a log entry for every completed write.
///
/// ```swift
/// guard var card = ConfirmationCard(changes) else { return }
/// for effect in card.handle(.confirm) { await run(effect) }  // .write(…); its outcome goes in as .wrote(…)
/// ```
///
/// For an action that needs no consent, the card is confirmed immediately. For a dry run, use a copy of the card and
/// show its effects without carrying them out. During a write, all events other than its outcome are ignored, so that
/// nothing is done twice.
///
/// If there are several changes, either all or none are made: if one fails, the completed ones are undone, and
/// ``failures`` contains those that failed. If undoing fails too, the card is `incomplete`, and undo tries again.
public struct ConfirmationCard<Record: Hashable & Sendable>: Hashable, Sendable {
    /// The state of the action.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case pendingCreation, created, creationCancelled
        case pendingDeletion, deleted, deletionCancelled
        case pendingUpdate, updated, rescheduled, updateCancelled
        /// The deletion or change has been undone.
        case restored
        /// The record that the card shows no longer exists.
        case stale
        /// Some of several changes were made and could not be undone.
        case incomplete
    }

    /// An event that a card handles.
    public enum Event: Hashable, Sendable {
        /// The user or the policy consents.
        case confirm
        /// The user declines.
        case cancel
        /// The user undoes the action.
        case undo
        /// The user keeps an event although it conflicts with others.
        case keepConflict
        /// The user undoes the change that conflicts; a new event is deleted.
        case cancelConflict
        /// The user moves the conflicting event; the value is the event at the free time.
        case reschedule(Record)
        /// The last write has ended; the values are the outcomes of its changes, in order.
        case wrote([Outcome])
        /// The card is shown again; the value tells whether the record still exists in the store.
        case appeared(exists: Bool)
    }

    /// The outcome of one change in a write.
    public enum Outcome: Hashable, Sendable {
        /// The change was made.
        case done
        /// The record no longer exists.
        case gone
        /// The change was not made, for the given reason.
        case failed(String)
    }

    /// An effect that the caller must carry out.
    public enum Effect: Hashable, Sendable {
        /// Write these changes in order, and send the outcomes as an event.
        case write([Change<Record>])
        /// Add these entries to the log.
        case log([LogEntry<Record>])
    }

    /// A change that was not made, and the reason.
    public struct Failure: Hashable, Sendable {
        /// The change.
        public var change: Change<Record>
        /// The reason, for users.
        public var reason: String
    }

    fileprivate struct Base: Hashable, Sendable {
        var state: State
        var changes: [Change<Record>]
    }

    /// Where a card was before its event moved to a free time.
    fileprivate struct Place: Hashable, Sendable {
        var state: State
        var changes: [Change<Record>]
        var conflicts: [Record]
    }

    fileprivate struct Writing: Hashable, Sendable {
        var changes: [Change<Record>]
        var reason: LogEntry<Record>.Reason
        var next: State
    }

    /// The state of the action.
    public private(set) var state: State
    /// The proposed changes or, if they were made, the last changes made.
    public private(set) var changes: [Change<Record>]
    /// Other records at the same time, shown with the choices for resolving the conflict.
    public private(set) var conflicts: [Record]
    /// The changes that the last write failed to make.
    public private(set) var failures: [Failure] = []
    private let movesTime: Bool
    private var writing: Writing?
    /// The state to which an incomplete card returns when everything has been undone.
    private var base: Base?
    /// Where undoing a move leads back to: the event is in conflict again, with the same choices.
    private var beforeMove: Place?

    /// Whether a write is in progress.
    public var isBusy: Bool { writing != nil }

    /// The reason for the write that is in progress; nil if there is none.
    public var writeReason: LogEntry<Record>.Reason? { writing?.reason }

    /// Creates a card that proposes changes; nil if there are none or they differ in kind.
    ///
    /// - Parameters:
    ///   - changes: at least one change; all are creations, all are deletions or all are updates.
    ///   - conflicts: other records at the same time.
    ///   - movesTime: whether an update changes the time of an event.
    ///   - deletes: whether something is deleted, although it is only a part of a record in some of the changes: one
    ///     date of a series.
    public init?(
        _ changes: [Change<Record>], conflicts: [Record] = [], movesTime: Bool = false, deletes: Bool = false
    ) {
        let kinds = Set(changes.map { [$0.before != nil, $0.after != nil] })
        switch kinds {
        case _ where deletes && !changes.isEmpty && changes.allSatisfy { $0.before != nil }: state = .pendingDeletion
        case [[false, true]]: state = .pendingCreation
        case [[true, false]]: state = .pendingDeletion
        case [[true, true]]: state = .pendingUpdate
        default: return nil
        }
        (self.changes, self.conflicts, self.movesTime) = (changes, conflicts, movesTime)
    }

    /// Handles an event.
    ///
    /// - Returns: the effects to carry out, in order; none if the event does not apply in this state.
    public mutating func handle(_ event: Event) -> [Effect] {
        if let writing {
            guard case .wrote(let outcomes) = event else { return [] }
            return finish(writing, outcomes)
        }
        switch (state, event) {
        case (.pendingCreation, .confirm): return write(changes, .action, next: .created)
        case (.pendingDeletion, .confirm): return write(changes, .action, next: .deleted)
        case (.pendingUpdate, .confirm): return write(changes, .action, next: movesTime ? .rescheduled : .updated)
        case (.pendingCreation, .cancel): return settle(.creationCancelled)
        case (.pendingDeletion, .cancel): return settle(.deletionCancelled)
        case (.pendingUpdate, .cancel): return settle(.updateCancelled)
        case (.created, .undo): return takeBack(next: .deleted)
        case (.deleted, .undo), (.updated, .undo), (.rescheduled, .undo): return takeBack(next: .restored)
        case (.created, .cancelConflict) where !conflicts.isEmpty: return takeBack(next: .deleted)
        case (.updated, .cancelConflict) where !conflicts.isEmpty,
            (.rescheduled, .cancelConflict) where !conflicts.isEmpty:
            return takeBack(next: .restored)
        case (.created, .keepConflict), (.updated, .keepConflict), (.rescheduled, .keepConflict):
            conflicts = []
            return []
        case (.created, .reschedule(let record)), (.updated, .reschedule(let record)),
            (.rescheduled, .reschedule(let record)):
            guard !conflicts.isEmpty, changes.count == 1, let current = changes[0].after else { return [] }
            return write([Change(before: current, after: record)], .reschedule, next: .rescheduled)
        case (.incomplete, .undo):
            failures = []
            return write(changes.map(\.inverse).reversed(), .rollback, next: state)
        case (.pendingDeletion, .appeared(exists: false)), (.pendingUpdate, .appeared(exists: false)),
            (.created, .appeared(exists: false)), (.updated, .appeared(exists: false)),
            (.rescheduled, .appeared(exists: false)), (.restored, .appeared(exists: false)):
            return settle(.stale)
        default: return []
        }
    }

    private mutating func settle(_ next: State) -> [Effect] {
        (state, conflicts, failures) = (next, [], [])
        return []
    }

    private mutating func takeBack(next: State) -> [Effect] {
        write(changes.map(\.inverse).reversed(), .undo, next: next)
    }

    private mutating func write(
        _ changes: [Change<Record>], _ reason: LogEntry<Record>.Reason, next: State
    ) -> [Effect] {
        writing = Writing(changes: changes, reason: reason, next: next)
        if reason != .rollback { failures = [] }
        return [.write(changes)]
    }

    private mutating func finish(_ writing: Writing, _ outcomes: [Outcome]) -> [Effect] {
        self.writing = nil
        var done: [Change<Record>] = []
        var failed: [Change<Record>] = []
        for (index, change) in writing.changes.enumerated() {
            switch outcomes.indices.contains(index) ? outcomes[index] : .failed("The store gave no answer.") {
            case .done: done.append(change)
            // A record that is being created cannot be missing.
            case .gone where change.before != nil:
                failures.append(Failure(change: change, reason: "It is no longer there."))
            case .gone:
                failed.append(change)
                failures.append(Failure(change: change, reason: "The store did not make it."))
            case .failed(let reason):
                failed.append(change)
                failures.append(Failure(change: change, reason: reason))
            }
        }
        let log: [Effect] = done.isEmpty ? [] : [.log(done.map { LogEntry(change: $0, reason: writing.reason) })]
        if writing.reason == .rollback {
            finishRollback(failed, of: writing)
            return log
        }
        if done.count == writing.changes.count {
            if writing.reason == .undo, let place = beforeMove {
                (state, changes, conflicts, beforeMove) = (place.state, place.changes, place.conflicts, nil)
                return log
            }
            if writing.reason == .reschedule {
                beforeMove = Place(state: state, changes: changes, conflicts: conflicts)
            }
            // Conflicts are kept until the user has made a choice.
            if writing.reason != .action { conflicts = [] }
            (state, changes) = (writing.next, writing.changes)
            return log
        }
        if !done.isEmpty { return log + write(done.map(\.inverse).reversed(), .rollback, next: state) }
        if failed.isEmpty { (state, conflicts) = (state == .pendingUpdate ? .updateCancelled : .stale, []) }
        return log
    }

    /// Finishes undoing: missing records need no undoing; changes that could not be undone remain.
    private mutating func finishRollback(_ failed: [Change<Record>], of writing: Writing) {
        if !failed.isEmpty {
            if state != .incomplete { base = Base(state: state, changes: changes) }
            (state, changes) = (.incomplete, failed.map(\.inverse).reversed())
        } else if let base {
            (state, changes, self.base) = (base.state, base.changes, nil)
            failures = []
        }
    }
}

extension ConfirmationCard: Codable where Record: Codable {}
extension ConfirmationCard.Failure: Codable where Record: Codable {}
extension ConfirmationCard.Base: Codable where Record: Codable {}
extension ConfirmationCard.Place: Codable where Record: Codable {}
extension ConfirmationCard.Writing: Codable where Record: Codable {}
