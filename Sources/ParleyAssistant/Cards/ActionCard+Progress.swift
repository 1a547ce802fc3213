// SPDX-License-Identifier: Apache-2.0

extension ActionCard {
    /// Whether it waits for consent to write.
    var isPending: Bool {
        guard stage == .proposed, let confirmation, !confirmation.isBusy else { return false }
        return [.pendingCreation, .pendingDeletion, .pendingUpdate].contains(confirmation.state)
    }

    /// Whether conflicts are still to be decided about, or would be.
    var hasOpenConflicts: Bool { isPending || stage == .planned || confirmation?.conflicts.isEmpty == false }

    /// The number of the last entry of the log that belongs to the card, which an undo takes back; nil if there is none.
    public var logEntry: Int? { logged > 0 ? logged : nil }

    /// Whether the card shows text that others may have written: what was found; or, for a model that calls functions and
    /// is told what became of its call, titles of what was changed or deleted, except for habits. Of a tool that is so also if it failed, for then it says why.
    public var hasUntrustedResults: Bool {
        if tag == .tool, stage == .failed { return true }
        if stage == .done, callID != nil, confirmation != nil, !plan.items.isEmpty, tag != .habit { return true }
        return switch plan.results {
        case .freeTimes?, .habits?, nil: false
        case .events(let events)?: !events.isEmpty
        case .notes(let notes)?: !notes.isEmpty
        case .contacts(let contacts)?: !contacts.isEmpty
        case .web?, .text?: true
        }
    }

    mutating func refuse(_ reason: String) {
        (stage, failure, confirmation, plan) = (.refused, reason, nil, ActionPlan())
    }

    mutating func fail(_ reason: String) {
        (stage, failure, confirmation, plan) = (.failed, reason, nil, ActionPlan())
    }

    mutating func answer(_ results: ActionPlan) {
        (stage, failure, plan) = (.done, nil, results)
    }

    mutating func propose(_ plan: ActionPlan, _ confirmation: ConfirmationCard<StoreItem>?) {
        guard let confirmation else { return fail("There is nothing to change.") }
        (stage, failure, self.plan, self.confirmation) = (.proposed, nil, plan, confirmation)
    }

    /// Remembers that the card contains an entry of the log.
    mutating func note(_ entry: ActionLogEntry) { logged = max(logged, entry.id) }

    mutating func update(_ confirmation: ConfirmationCard<StoreItem>) {
        self.confirmation = confirmation
        // It is where it was before it gave way to others, and the card says so.
        if confirmation.state != .rescheduled, let time = plan.timeBefore {
            plan.outcome?.time = time
            plan.timeBefore = nil
        }
        switch confirmation.state {
        case .pendingCreation, .pendingDeletion, .pendingUpdate: stage = .proposed
        default: stage = .done
        }
    }

    /// Takes in the entries of the log that the card does not contain yet: what was done for it, although the history
    /// that kept it does not know.
    ///
    /// - Returns: what is left to carry out.
    mutating func absorb(_ entries: [ActionLogEntry]) -> [ConfirmationCard<StoreItem>.Effect] {
        var open: [ConfirmationCard<StoreItem>.Effect] = []
        for entry in entries where entry.id > logged {
            // What was written counts, not what was planned when the history kept the card.
            if entry.reason == .action, confirmation?.isBusy != true, confirmation?.changes != entry.changes {
                plan.changes = entry.changes
                confirmation = ConfirmationCard(
                    entry.changes, conflicts: confirmation?.conflicts ?? [], movesTime: plan.movesTime,
                    deletes: action?.effect == .delete)
            }
            guard var card = confirmation else { continue }
            if !card.isBusy {
                switch entry.reason {
                case .action: _ = card.handle(.confirm)
                case .undo, .rollback: _ = card.handle(.undo)
                case .reschedule:
                    if let record = entry.changes.first?.after { _ = card.handle(.reschedule(record)) }
                }
            }
            if card.isBusy { open = card.handle(.wrote(entry.outcomes.map { $0.forCard })).filter(\.isWrite) }
            note(entry)
            update(card)
        }
        if open.isEmpty, var card = confirmation, card.isBusy {
            // A history kept the card during a write of which the log knows nothing: it was not begun.
            open = card.handle(.wrote([])).filter(\.isWrite)
            update(card)
        }
        return open
    }
}

extension ConfirmationCard.Effect {
    fileprivate var isWrite: Bool { if case .write = self { true } else { false } }
}
