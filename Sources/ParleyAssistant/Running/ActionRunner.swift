// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyConversation

/// Carries out what replies request, as far as the policy and the user consent.
///
/// It owns the cards of the chats that are open: pass it each finished reply and each choice of the user, and show the
/// cards that it returns. Everything that it writes goes through the log. A reply that is passed again, also in another
/// process after the first was killed, is not carried out again: the log knows what was done for it.
public actor ActionRunner {
    /// What the runner may do; changes concern what comes after them.
    public var settings: Settings
    /// The log of everything that is written.
    public nonisolated let log: ActionLog
    /// The stores.
    public nonisolated let stores: AssistantStores
    private let resolver: DateResolver
    private let clock: any Clock<Duration>
    private let context: @Sendable () -> DateContext
    private var cards: [String: ActionCard] = [:]
    /// The questions of cards that may still search the web.
    private var questions: [String: String] = [:]
    /// Cards with which something is being done; further choices are ignored until it has ended.
    private var busy: Set<String> = []

    /// Creates a runner, and finds out what became of the writes of a process that was killed.
    ///
    /// - Parameters:
    ///   - stores: the stores.
    ///   - log: the log.
    ///   - settings: what the runner may do.
    ///   - resolver: resolves words about time that depend on an event.
    ///   - clock: measures how long a search takes.
    ///   - context: gives the present time and place.
    public init(
        stores: AssistantStores, log: ActionLog, settings: Settings = Settings(),
        resolver: DateResolver = DateResolver(), clock: any Clock<Duration> = ContinuousClock(),
        context: @escaping @Sendable () -> DateContext
    ) async {
        (self.stores, self.log, self.settings, self.resolver) = (stores, log, settings, resolver)
        (self.clock, self.context) = (clock, context)
        await recover()
    }

    /// Changes the settings.
    public func use(_ settings: Settings) { self.settings = settings }

    /// The card with an identifier; nil if the runner does not know it.
    public func card(_ id: String) -> ActionCard? { cards[id] }

    /// Finds out what became of writes during which a process ended, and takes back those of which only a part was made.
    ///
    /// This is done when a runner is created; it is only needed again for a store that could not be reached then, and
    /// after a dry run, which takes nothing back.
    public func recover() async {
        _ = await log.settle(in: stores)
        guard !settings.isDryRun, await !log.partial().isEmpty else { return }
        // What another process has made in part it takes back itself, in the same transaction.
        try? await log.transaction { [log, stores, context] in
            for part in await log.partial() {
                // What has changed since cannot be taken back, and to try it at every start would fill the log.
                if part.wasTried, await !stores.areReady(for: part.inverses) { continue }
                let entry = part.entry
                _ = try? await log.write(
                    part.inverses, .rollback, title: entry.title, origin: entry.origin, undoes: entry.id, in: stores,
                    at: context().now)
            }
        }
    }

    /// Takes over the cards of a chat that was opened, and brings them up to date with the log.
    ///
    /// - Parameter opened: the cards, as a history kept them.
    /// - Returns: the cards as they are now.
    public func adopt(_ opened: [ActionCard]) async -> [ActionCard] {
        for card in opened where cards[card.id] == nil { cards[card.id] = card }
        var halfDone: [String] = []
        for card in opened {
            let entries = await log.entries(of: card.id)
            // What is being done with one at this moment knows more than the log.
            guard !busy.contains(card.id), !absorb(entries, into: card.id) else { continue }
            busy.insert(card.id)
            halfDone.append(card.id)
        }
        await catchUp(halfDone)
        busy.subtract(halfDone)
        return opened.map { cards[$0.id] ?? $0 }
    }

    /// Carries out the actions of a reply in the order in which they were written.
    ///
    /// - Parameters:
    ///   - reply: the reply; if it did not end by itself, nothing is carried out and there are no cards.
    ///   - onChange: is called with each card as soon as it is ready.
    /// - Returns: the cards.
    public func run(
        _ reply: FinishedReply, onChange: (@Sendable (ActionCard) async -> Void)? = nil
    ) async -> Outcome {
        var outcome = Outcome(text: "", cards: [], webPass: nil)
        outcome.text = ActionBlockScanner.text(of: reply.text)
        let new = reply.cards(tools: stores.tools, context: context)
        guard reply.endedByItself else { return outcome }
        for var card in new {
            card.isReadOnly = reply.mode == .readOnly
            card.readsUntrusted = card.readsUntrusted || card.isReadOnly
            if cards[card.id] == nil, busy.insert(card.id).inserted {
                cards[card.id] = card
                questions[card.id] = reply.question
                let entries = await log.entries(of: card.id)
                if entries.isEmpty {
                    let pass = await start(card.id)
                    if outcome.webPass == nil { outcome.webPass = pass }
                } else if !absorb(entries, into: card.id) {
                    await catchUp([card.id])
                }
                busy.remove(card.id)
            }
            let now = cards[card.id] ?? card
            outcome.cards.append(now)
            await onChange?(now)
        }
        return outcome
    }

    /// Handles a choice of the user.
    ///
    /// - Parameters:
    ///   - event: the choice; one that does not apply, or comes while another is being carried out, is ignored.
    ///   - id: the identifier of the card.
    /// - Returns: the card as it is now.
    public func handle(_ event: ActionCard.Event, of id: String) async -> Answer {
        guard cards[id] != nil, busy.insert(id).inserted else { return Answer(card: cards[id], webPass: nil) }
        let pass = await answer(event, id)
        busy.remove(id)
        return Answer(card: cards[id], webPass: pass)
    }

    /// Undoes an entry of the log.
    ///
    /// - Parameter entry: the number of the entry.
    /// - Returns: the card of the entry as it is now; nil if the runner does not know it.
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `itemChanged`, `invalidInput`, `storeUnavailable`, or
    ///   `refused` in a dry run.
    public func undo(_ entry: Int) async throws -> ActionCard? {
        if settings.isDryRun { throw AssistantError(.refused, "In a dry run nothing is written, and nothing undone.") }
        let id = await log.entry(entry)?.origin?.card
        if let id, busy.contains(id) { throw AssistantError(.invalidInput, "The action is still being carried out.") }
        if let id { busy.insert(id) }
        defer { if let id { busy.remove(id) } }
        _ = try await log.undo(entry, in: stores, at: context().now)
        guard let id, cards[id] != nil else { return nil }
        if !absorb(await log.entries(of: id), into: id) { await catchUp([id]) }
        return cards[id]
    }

    // MARK: Starting

    private var planner: ActionPlanner {
        ActionPlanner(stores: stores, context: context(), resolver: resolver)
    }

    /// Plans a new card, and carries it out if that needs no consent.
    private func start(_ id: String) async -> WebPass? {
        guard let card = cards[id], card.stage == .proposed, let action = card.action else { return nil }
        if let reason = refusal(of: action, card) {
            cards[id]?.refuse(reason)
            return nil
        }
        let decision = settings.policy.decision(for: action, readsUntrusted: card.readsUntrusted)
        if action.tag == .tool, settings.isDryRun {
            cards[id]?.stage = .planned
            return nil
        }
        if !action.changesItems { return decision == .automatic ? await read(id, action) : nil }
        await plan(id, action)
        guard let planned = cards[id], planned.stage == .proposed else { return nil }
        if settings.isDryRun {
            cards[id]?.stage = .planned
        } else if decision == .automatic, planned.plan.alternatives.isEmpty, !planned.plan.isGuess {
            await carryOut(.confirm, id)
        }
        return nil
    }

    private func refusal(of action: Action, _ card: ActionCard) -> String? {
        if card.isReadOnly, !action.isReading {
            return "An answer from the web may only read. Ask for this in a message of your own."
        }
        let decision = settings.policy.decision(for: action, readsUntrusted: card.readsUntrusted)
        return decision == .deny ? "The settings do not allow this." : nil
    }

    /// Plans a card, or plans it again with what the user chose.
    private func plan(_ id: String, _ action: Action) async {
        guard let card = cards[id] else { return }
        do {
            let proposal = try await ActionProposal(action, choices: card.selection, with: planner)
            let confirmation = await proposal.confirmation(in: stores)
            cards[id]?.propose(proposal.plan, confirmation)
        } catch {
            cards[id]?.fail((error as? AssistantError)?.message ?? "The store failed.")
        }
    }

    private func read(_ id: String, _ action: Action) async -> WebPass? {
        let reader = ActionReader(planner: planner, stores: stores, searchTime: settings.searchTime, clock: clock)
        do {
            let (plan, pass) = try await reader.read(action, for: questions[id] ?? "")
            cards[id]?.answer(plan)
            return pass
        } catch is CancellationError {
            cards[id]?.fail(action.tag == .tool ? "It was stopped; it may have done something." : "It was stopped.")
        } catch {
            cards[id]?.fail((error as? AssistantError)?.message ?? "The store failed.")
        }
        return nil
    }

    // MARK: Choices

    private func answer(_ event: ActionCard.Event, _ id: String) async -> WebPass? {
        guard let card = cards[id] else { return nil }
        switch event {
        case .correct(let text):
            guard [.malformed, .failed, .proposed, .planned].contains(card.stage) else { return nil }
            cards[id]?.correct(text, context: context())
            guard let action = cards[id]?.action, cards[id]?.stage == .proposed else { return nil }
            if let reason = refusal(of: action, card) {
                cards[id]?.refuse(reason)
            } else if action.changesItems {
                await plan(id, action)
                if settings.isDryRun, cards[id]?.stage == .proposed { cards[id]?.stage = .planned }
            }
        case .appeared: await appear(id)
        case .undo: await carryOut(.undo, id)
        case .keepConflict: await carryOut(.keepConflict, id)
        case .cancelConflict: await carryOut(.cancelConflict, id)
        case .confirm:
            guard card.stage == .proposed, let action = card.action else { return nil }
            if let reason = refusal(of: action, card) {
                cards[id]?.refuse(reason)
                return nil
            }
            if !action.changesItems { return action.isReading || !settings.isDryRun ? await read(id, action) : nil }
            if card.isPending, await isStillAsShown(id, action) { await carryOut(.confirm, id) }
        case .cancel:
            if card.confirmation == nil, card.stage == .proposed {
                cards[id]?.stage = .declined
            } else {
                await carryOut(.cancel, id)
            }
        case .choose(let index):
            guard card.isPending, card.plan.alternatives.indices.contains(index), let action = card.action else {
                break
            }
            cards[id]?.selection.target = card.plan.alternatives[index].id
            await plan(id, action)
        case .scope(let scope):
            guard card.isPending, card.plan.scope != nil, let action = card.action else { break }
            cards[id]?.selection.scope = scope
            cards[id]?.selection.target = card.plan.items.first?.id
            await plan(id, action)
        case .reschedule(let index):
            guard card.plan.freeSlots.indices.contains(index), let action = card.action else { break }
            await move(id, action, to: card.plan.freeSlots[index])
        }
        return nil
    }

    /// Moves an event that conflicts to a free time: before it is written by another plan, after it by another write.
    private func move(_ id: String, _ action: Action, to slot: DateInterval) async {
        guard let card = cards[id], let confirmation = card.confirmation else { return }
        if card.isPending {
            cards[id]?.selection.slot = slot
            cards[id]?.selection.target = card.plan.items.first?.id
            await plan(id, action)
            guard let moved = cards[id], moved.isPending, moved.plan.conflicts.isEmpty else { return }
            await carryOut(.confirm, id)
        } else if let item = confirmation.changes.first?.after, !confirmation.conflicts.isEmpty {
            do {
                let change = try await planner.move(
                    card.plan.items.first.flatMap { StoredEvent.ID($0.id) }, in: item.id,
                    scope: card.plan.scope ?? .occurrence, from: card.plan.outcome?.time, to: slot)
                guard let record = change.after else { return }
                await carryOut(.reschedule(record), id)
                if cards[id]?.confirmation?.state == .rescheduled, cards[id]?.confirmation?.conflicts.isEmpty == true {
                    cards[id]?.plan.timeBefore = card.plan.outcome?.time
                    cards[id]?.plan.outcome?.time = .timed(slot)
                }
            } catch {
                cards[id]?.failure = (error as? AssistantError)?.message ?? "The store failed."
            }
        }
    }

    /// Whether what the user consents to is what would be written: if the items have changed since the card was shown,
    /// or there are new conflicts, the card is planned again and waits.
    private func isStillAsShown(_ id: String, _ action: Action) async -> Bool {
        guard let card = cards[id] else { return false }
        // What is gone is told by the write.
        let proposal: ActionProposal
        do {
            proposal = try await ActionProposal(action, choices: card.selection, with: planner)
        } catch let error as AssistantError where error.code == .invalidInput {
            cards[id]?.fail(error.message)
            return false
        } catch {
            return true
        }
        if proposal.isShown(by: card) { return true }
        let confirmation = await proposal.confirmation(in: stores)
        cards[id]?.propose(proposal.plan, confirmation)
        cards[id]?.failure = "Something has changed since this was shown. Please look again."
        return false
    }

    private func appear(_ id: String) async {
        guard let card = cards[id], let confirmation = card.confirmation, !confirmation.isBusy else { return }
        if await confirmation.showsMissing(in: stores, isPending: card.isPending) {
            _ = cards[id]?.confirmation?.handle(.appeared(exists: false))
        }
    }

    // MARK: Writing

    /// Lets the card handle an event, and carries out what follows.
    private func carryOut(_ event: ConfirmationCard<StoreItem>.Event, _ id: String) async {
        // In a dry run a card is put away at most.
        guard !settings.isDryRun || event == .cancel else { return }
        do {
            // Until it is done nobody else writes, so that a card that is open in two programs acts once.
            try await log.transaction { await self.carryOutAlone(event, id) }
        } catch {
            cards[id]?.failure = (error as? AssistantError)?.message ?? "The log failed."
        }
    }

    private func carryOutAlone(_ event: ConfirmationCard<StoreItem>.Event, _ id: String) async {
        await catchUpAlone(id)
        guard let card = cards[id], card.stage == .proposed || card.stage == .done, var confirmation = card.confirmation
        else { return }
        cards[id]?.failure = nil
        let effects = confirmation.handle(event)
        cards[id]?.confirmation = confirmation
        await carryOut(effects, id)
    }

    private func carryOut(_ effects: [ConfirmationCard<StoreItem>.Effect], _ id: String) async {
        var open = effects
        while !open.isEmpty {
            // What the card would have logged is in the log already, with what was tried in vain.
            guard case .write(let changes) = open.removeFirst(), let card = cards[id],
                var confirmation = card.confirmation
            else { continue }
            let reason = confirmation.writeReason ?? .action
            var outcomes: [ConfirmationCard<StoreItem>.Outcome]
            do {
                let entry = try await log.write(
                    changes, reason, title: card.headline, origin: card.origin,
                    undoes: reason == .undo || reason == .rollback ? card.logEntry : nil, in: stores,
                    at: context().now, isOwn: reason == .action && !card.readsUntrusted && !card.isReadOnly)
                cards[id]?.note(entry)
                outcomes = entry.outcomes.map { $0.forCard }
            } catch {
                let message = (error as? AssistantError)?.message ?? "The log failed."
                outcomes = changes.map { _ in .failed(message) }
            }
            open += confirmation.handle(.wrote(outcomes))
            cards[id]?.update(confirmation)
        }
    }

    /// Brings a card up to date with what the log knows about it.
    ///
    /// - Returns: false, and the card stays as it is, if it looks half done.
    private func absorb(_ entries: [ActionLogEntry], into id: String) -> Bool {
        guard var card = cards[id] else { return true }
        let (known, wasBusy) = (card.logEntry ?? 0, card.confirmation?.isBusy == true)
        let open = card.absorb(entries)
        let isWhole = open.isEmpty && !wasBusy && entries.allSatisfy { $0.id <= known || $0.isSettled }
        guard isWhole || settings.isDryRun else { return false }
        cards[id] = card
        return true
    }

    /// Brings cards up to date that look half done, and ends what was begun. It may be what another program is doing at
    /// this moment, so that the log is waited for.
    private func catchUp(_ ids: [String]) async {
        if ids.isEmpty { return }
        for id in ids { cards[id]?.failure = nil }
        // Nobody who goes meanwhile leaves a half behind.
        let work = Task { [log] in try await log.transaction { for id in ids { await self.catchUpAlone(id) } } }
        do {
            try await work.value
        } catch {
            for id in ids { cards[id]?.failure = (error as? AssistantError)?.message ?? "The log failed." }
        }
    }

    /// Brings a card up to date while no other program writes.
    private func catchUpAlone(_ id: String) async {
        let entries = await log.entries(of: id)
        guard var card = cards[id] else { return }
        let open = card.absorb(entries)
        cards[id] = card
        if !settings.isDryRun { await carryOut(open, id) }
    }
}
