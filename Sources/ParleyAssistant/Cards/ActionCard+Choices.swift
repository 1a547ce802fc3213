// SPDX-License-Identifier: Apache-2.0

extension ActionCard {
    /// What a user can do with a card.
    public enum Event: Hashable, Sendable, Codable {
        /// Carry the action out.
        case confirm
        /// Do not carry it out.
        case cancel
        /// Undo it.
        case undo
        /// Keep an event although it conflicts with others.
        case keepConflict
        /// Undo what conflicts with other events; a new event is deleted.
        case cancelConflict
        /// Move the event to the free time with an index in ``ActionPlan/freeSlots``.
        case reschedule(Int)
        /// Mean the item with an index in ``ActionPlan/alternatives`` instead.
        case choose(Int)
        /// Concern one date of a recurring event, or the series.
        case scope(EventScope)
        /// Replace the payload by another text, and read and plan it again.
        case correct(String)
        /// The card is shown again: find out whether what it shows still exists.
        case appeared
    }

    /// Something that can be chosen on a card, with the key and the words for it.
    public struct Choice: Hashable, Sendable {
        /// What is done.
        public var event: Event
        /// The key for it in a terminal: one character.
        public var key: String
        /// What is done, in a few words of English.
        public var label: String
    }

    /// What there is to choose, the most likely first; empty if there is nothing left to decide.
    ///
    /// A malformed card has no choice with a key of its own; it is corrected with ``Event/correct(_:)``.
    public var choices: [Choice] {
        guard stage == .proposed || stage == .done else { return [] }
        guard let confirmation else {
            guard stage == .proposed else { return [] }
            return [
                Choice(event: .confirm, key: "y", label: lookUpLabel),
                Choice(event: .cancel, key: "n", label: "Do not"),
            ]
        }
        guard !confirmation.isBusy else { return [] }
        let slots = plan.freeSlots.indices.map {
            Choice(event: .reschedule($0), key: String($0 + 1), label: "Move to free time \($0 + 1)")
        }
        switch confirmation.state {
        case .pendingCreation, .pendingDeletion, .pendingUpdate:
            var choices = [
                Choice(event: .confirm, key: "y", label: confirmLabel(confirmation.state)),
                Choice(event: .cancel, key: "n", label: "Do not"),
            ]
            if plan.scope == .occurrence {
                choices.append(Choice(event: .scope(.series), key: "s", label: "The whole series"))
            } else if plan.scope == .series, selection.scope == .series {
                choices.append(Choice(event: .scope(.occurrence), key: "s", label: "This date only"))
            }
            choices += plan.alternatives.indices.map {
                let key = $0 < 5 ? String("abcde"[String.Index(utf16Offset: $0, in: "abcde")]) : ""
                return Choice(event: .choose($0), key: key, label: "Take \(key)) instead")
            }
            return choices + slots
        case .created, .updated, .rescheduled:
            guard !confirmation.conflicts.isEmpty else { break }
            return [
                Choice(event: .keepConflict, key: "k", label: "Keep both"),
                Choice(
                    event: .cancelConflict, key: "x",
                    label: confirmation.state == .created ? "Delete the new one" : "Move it back"),
            ] + slots
        case .deleted, .incomplete: break
        case .creationCancelled, .deletionCancelled, .updateCancelled, .restored, .stale: return []
        }
        // What was created and taken back can be had again, by the same way.
        let isTakenBack = confirmation.state == .deleted && action?.effect != .delete
        return [Choice(event: .undo, key: "u", label: isTakenBack ? "Bring back" : "Undo")]
    }

    private var lookUpLabel: String {
        switch tag {
        case .webSearch: "Search"
        case .tool: "Use it"
        default: "Look it up"
        }
    }

    private func confirmLabel(_ state: ConfirmationCard<StoreItem>.State) -> String {
        switch state {
        case .pendingCreation: "Create"
        case .pendingDeletion: plan.changes.count > 1 ? "Delete all \(plan.items.count)" : "Delete"
        default: plan.movesTime ? "Move" : "Change"
        }
    }
}
