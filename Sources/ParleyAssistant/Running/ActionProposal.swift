// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is proposed for an action: its plan, and the card with which the user consents to it.
struct ActionProposal {
    let plan: ActionPlan
    private let deletes: Bool

    /// Plans an action.
    ///
    /// - Throws: ``AssistantError`` and what stores throw.
    init(_ action: Action, choices: ActionChoices, with planner: ActionPlanner) async throws {
        plan = try await planner.plan(action, choices: choices)
        deletes = action.effect == .delete
    }

    /// The card, with the items that conflict; nil if nothing would be written.
    func confirmation(in stores: AssistantStores) async -> ConfirmationCard<StoreItem>? {
        ConfirmationCard(
            plan.changes, conflicts: await Self.items(of: plan.conflicts, in: stores), movesTime: plan.movesTime,
            deletes: deletes)
    }

    /// Whether a card shows what would be written now: the items have not changed, and there are no new conflicts.
    func isShown(by card: ActionCard) -> Bool {
        let known = Set(card.plan.conflicts.map(\.id))
        return plan.changes.map(\.before) == card.plan.changes.map(\.before)
            && known.isSuperset(of: plan.conflicts.map(\.id))
    }

    private static func items(of events: [StoredEvent], in stores: AssistantStores) async -> [StoreItem] {
        var items: [StoreItem] = []
        for event in events {
            let item = try? await stores.store(of: event.id.item)?.item(event.id.item)
            // What cannot be read conflicts all the same.
            items.append(item ?? StoreItem(id: event.id.item, content: Data()))
        }
        return items
    }
}

extension ConfirmationCard<StoreItem> {
    /// Whether an item that the card shows is no longer in its store. A store that cannot be reached says nothing about
    /// what it holds.
    func showsMissing(in stores: AssistantStores, isPending: Bool) async -> Bool {
        for change in changes {
            guard let record = isPending ? change.before : change.after ?? change.before,
                let store = stores.store(of: record.id)
            else { continue }
            do {
                if try await store.item(record.id) == nil { return true }
            } catch {
                return false
            }
        }
        return false
    }
}

extension ActionLogEntry.Outcome? {
    /// The outcome as a card hears of it.
    var forCard: ConfirmationCard<StoreItem>.Outcome {
        switch self {
        case .done?: .done
        case .gone?: .gone
        case .failed(let reason)?: .failed(reason)
        case .unclear?, nil: .failed("It is not known whether it was made; please look.")
        }
    }
}
