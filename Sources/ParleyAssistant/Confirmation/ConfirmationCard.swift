// SPDX-License-Identifier: Apache-2.0

/// One action on its way from a proposal to the store and back: a pure state machine behind a card in the conversation.
///
/// A card is made of the changes that an action proposes, one or, for a bulk, several of one kind. Events go in; what is
/// to be done comes out, and the outcome of a write is an event again. The card never writes by itself, and every write
/// that was done comes out as a log entry.
///
/// ```swift
/// var card = ConfirmationCard(changes)
/// for effect in card.handle(.confirm) { await run(effect) }  // .write(…); its outcome goes in as .wrote(…)
/// ```
///
/// An action that needs no question is a card that is confirmed at once. A dry run is a copy of the card whose effects
/// are shown and not run. While a write is under way, only its outcome is heard, so that nothing is done twice.
///
/// Of a bulk all or none is done: where a change fails, those that were done are taken back, and ``failures`` names what
/// failed. Where taking back fails too, the card is `incomplete`, and undoing tries it again.
public struct ConfirmationCard<Record: Hashable & Sendable>: Hashable, Sendable {
    /// Where the action stands.
    public enum State: String, Hashable, Sendable, CaseIterable {
        case pendingCreation, created, creationCancelled
        case pendingDeletion, deleted, deletionCancelled
        case pendingUpdate, updated, rescheduled, updateCancelled
        /// What was deleted or changed is as it was.
        case restored
        /// What the card shows is no longer there.
        case stale
        /// Some changes of a bulk are done and could not be taken back.
        case incomplete
    }

    /// What happens to a card.
    public enum Event: Hashable, Sendable {
        /// The user or the policy agrees.
        case confirm
        /// The user declines.
        case cancel
        /// The user takes back what was done.
        case undo
        /// The user keeps an event although it conflicts with others.
        case keepConflict
        /// The user takes back what conflicts: of a new event, it is deleted.
        case cancelConflict
        /// The user moves what conflicts: the event as it is at the free time.
        case reschedule(Record)
        /// The outcome of the last write, one for each of its changes, in order.
        case wrote([Outcome])
        /// The card is shown again: whether what it shows is still in the store.
        case appeared(exists: Bool)
    }

    /// How a write of one change ended.
    public enum Outcome: Hashable, Sendable {
        /// It is done.
        case done
        /// The record is no longer there.
        case gone
        /// It is not done, for this reason.
        case failed(String)
    }

    /// What is to be done.
    public enum Effect: Hashable, Sendable {
        /// Write these changes, in order, and send the outcome.
        case write([Change<Record>])
        /// Keep these entries in the log.
        case log([LogEntry<Record>])
    }

    /// A change that was not made, and why.
    public struct Failure: Hashable, Sendable {
        /// The change.
        public var change: Change<Record>
        /// The reason, for people.
        public var reason: String
    }

    private struct Base: Hashable, Sendable {
        var state: State
        var changes: [Change<Record>]
    }

    private struct Writing: Hashable, Sendable {
        var changes: [Change<Record>]
        var reason: LogEntry<Record>.Reason
        var next: State
    }

    /// Where the action stands.
    public private(set) var state: State
    /// What is proposed or, once it was done, what was done last.
    public private(set) var changes: [Change<Record>]
    /// What else is at that time, shown with the choices about conflicts.
    public private(set) var conflicts: [Record]
    /// What the last write failed to do.
    public private(set) var failures: [Failure] = []
    private let movesTime: Bool
    private var writing: Writing?
    /// Where an incomplete card returns when all is taken back.
    private var base: Base?

    /// Whether a write is under way.
    public var isBusy: Bool { writing != nil }

    /// A card that proposes changes; nil where they are none or of several kinds.
    ///
    /// - Parameters:
    ///   - changes: at least one, all creations, all deletions or all updates.
    ///   - conflicts: what else is at that time.
    ///   - movesTime: whether an update changes when something is.
    public init?(_ changes: [Change<Record>], conflicts: [Record] = [], movesTime: Bool = false) {
        let kinds = Set(changes.map { [$0.before != nil, $0.after != nil] })
        switch kinds {
        case [[false, true]]: state = .pendingCreation
        case [[true, false]]: state = .pendingDeletion
        case [[true, true]]: state = .pendingUpdate
        default: return nil
        }
        (self.changes, self.conflicts, self.movesTime) = (changes, conflicts, movesTime)
    }

    /// Takes an event in.
    ///
    /// - Returns: what is to be done, in order; nothing where the event has no place in this state.
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
            // What is made anew cannot be gone.
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
            // Conflicts stand until the user has chosen.
            if writing.reason != .action { conflicts = [] }
            (state, changes) = (writing.next, writing.changes)
            return log
        }
        if !done.isEmpty { return log + write(done.map(\.inverse).reversed(), .rollback, next: state) }
        if failed.isEmpty { (state, conflicts) = (state == .pendingUpdate ? .updateCancelled : .stale, []) }
        return log
    }

    /// What is gone needs no taking back; what could not be taken back stays done.
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
