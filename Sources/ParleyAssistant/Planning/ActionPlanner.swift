// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar
import ParleySystem

/// Finds out what an action would do, or carries it out if it only reads. It writes nothing.
public struct ActionPlanner: Sendable {
    /// The stores that are read.
    public var stores: AssistantStores
    /// The time and place of the plan.
    public var context: DateContext
    /// Resolves words for times that depend on the event they are about.
    public var resolver: DateResolver
    /// Finds free times; its clock is that of the context.
    public var slots: FreeSlots

    /// The largest number of notes that a search reads.
    public static let maxNotes = 500
    /// The largest number of events that one action deletes.
    public static let maxDeletions = 200

    /// Creates a planner.
    public init(stores: AssistantStores, context: DateContext, resolver: DateResolver = DateResolver()) {
        (self.stores, self.context, self.resolver) = (stores, context, resolver)
        slots = FreeSlots(clock: context.clock)
    }

    /// The plan of an action; for one that reads, with its results.
    ///
    /// A search on the web and a call of a tool are not made here but left to the ``ActionRunner``: their plans are empty.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - choices: what the user chose where the action leaves a choice.
    /// - Returns: the plan.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, also if a store is missing, `itemNotFound` if nothing
    ///   fits the words, `invalidInput` or `invalidItem`; its message can be shown on the card.
    public func plan(_ action: Action, choices: ActionChoices = ActionChoices()) async throws -> ActionPlan {
        switch action {
        case .calendar(let action): return try await plan(action, choices)
        case .note(let action): return try await plan(action, choices)
        case .habit(let action): return try await plan(action, choices)
        case .contacts(let query):
            guard let contacts = stores.contacts else { throw missing("contacts") }
            let found = try await contacts.contacts(matching: query, limit: Action.maxContacts)
            return ActionPlan(.contacts(Array(found.prefix(Action.maxContacts))))
        case .reminder(let title, let body, let at):
            guard let reminders = stores.reminders else { throw missing("reminders") }
            guard at.instant > context.now else {
                throw AssistantError(.invalidInput, "The time of the reminder is over.")
            }
            var plan = ActionPlan()
            plan.changes = [try await reminders.creation(title: title, body: body, at: at.instant)]
            plan.outcome = PlannedItem(
                title: title, time: .timed(DateInterval(start: at.instant, duration: 0)), text: body)
            if at.resolution.recurrence != nil {
                plan.notices.append("Reminders do not recur: this is the first one only. An event can recur.")
            }
            return plan
        case .webSearch:
            guard stores.web != nil else { throw missing("search engine") }
            return ActionPlan()
        case .tool: return ActionPlan()
        }
    }

    /// The error of a store that is not there.
    func missing(_ name: String) -> AssistantError {
        let be = name == "search engine" || name == "calendar" ? "is" : "are"
        return AssistantError(.storeUnavailable, "No \(name) \(be) connected; name one in the settings.")
    }

    private func plan(_ action: HabitAction, _ choices: ActionChoices) async throws -> ActionPlan {
        guard let store = stores.habits else { throw missing("habits") }
        let today = context.clock.day(of: context.now)
        var plan = ActionPlan()
        switch action {
        case .create(let name, let unit, let frequency, let emoji):
            plan.changes = [
                try await store.creation(name: name, unit: unit, frequency: frequency, emoji: emoji)
            ]
            plan.outcome = PlannedItem(title: name, text: "\(frequency.rawValue), \(unit.rawValue)")
        case .log(let name, let value):
            let fits = try await habits(name, in: store)
            let chosen = plan.choose(among: fits, choices) { PlannedItem(id: $0.id.name, title: $0.name) }
            guard let habit = chosen else { throw notFound("habit") }
            plan.changes = [try await store.recording(value, of: habit.id, on: today)]
            plan.outcome = PlannedItem(
                id: habit.id.name, title: habit.name, time: .allDay(today...today), text: Self.text(value))
        case .query(let name):
            let found =
                if let name { try await habits(name, in: store).items } else { try await store.habits() }
            if name != nil, found.isEmpty { throw notFound("habit") }
            plan.results = .habits(found.map { HabitReport($0, today: today, firstWeekday: context.firstWeekday) })
        }
        return plan
    }

    /// The habits with a name; if there are none, those whose name fits the words.
    private func habits(_ name: String, in store: any HabitStore) async throws -> ItemSearch.Found<StoredHabit> {
        let all = try await store.habits()
        let wanted = SearchText.plain(name)
        let exact = all.filter { SearchText.plain($0.name) == wanted }
        return exact.isEmpty ? ItemSearch(words: name).matches(in: all, title: \.name) : .init(items: exact)
    }

    private func plan(_ action: NoteAction, _ choices: ActionChoices) async throws -> ActionPlan {
        guard let store = stores.notes else { throw missing("notes") }
        var plan = ActionPlan()
        switch action {
        case .create(let title, let body, let tags):
            plan.changes = [try await store.creation(title: title, body: body, tags: tags)]
            plan.outcome = PlannedItem(title: title, text: body)
            if !tags.isEmpty { plan.notices.append("Its tags: \(Self.text(tags)).") }
        case .search(let query):
            let found = ItemSearch(words: query).notes(in: try await notes(in: store, &plan))
            plan.results = .notes(Array(found.items.prefix(NoteAction.maxResults)))
        case .update(let target, let title, let body, let tags):
            let note = try await find(target, in: store, choices, &plan)
            plan.changes = [try await store.update(of: note.id, title: title, body: body, tags: tags)]
            plan.outcome = PlannedItem(id: note.id.name, title: title ?? note.title, text: body ?? note.body)
            if let tags, tags != note.tags {
                plan.notices.append("Its tags will be: \(Self.text(tags)) (before: \(Self.text(note.tags))).")
            }
        case .delete(let target):
            let note = try await find(target, in: store, choices, &plan)
            plan.changes = [try await store.deletion(of: note.id)]
        }
        return plan
    }

    /// Finds the note that is meant and adds it to the plan, with the others that fit.
    private func find(
        _ target: NoteAction.Target, in store: any NoteStore, _ choices: ActionChoices, _ plan: inout ActionPlan
    ) async throws -> StoredNote {
        var fits = ItemSearch.Found<StoredNote>(items: [])
        switch target {
        case .identifier(let text):
            if let id = StoreItem.ID(name: text), id.store == store.name {
                if let note = try await store.note(id) { fits.items = [note] }
            } else if let note = try? await store.note(StoreItem.ID(store: store.name, path: text)) {
                fits.items = [note]
            } else {
                // Small models write a title where an identifier is expected.
                fits = ItemSearch(words: text).matches(in: try await notes(in: store, &plan), title: \.title)
            }
        case .search(let words):
            fits = ItemSearch(words: words).notes(in: try await notes(in: store, &plan))
        }
        let chosen = plan.choose(among: fits, choices) { PlannedItem(id: $0.id.name, title: $0.title) }
        guard let note = chosen else {
            let reasons = [notFound("note").message] + plan.notices
            throw AssistantError(.itemNotFound, reasons.joined(separator: " "))
        }
        plan.items = [PlannedItem(id: note.id.name, title: note.title, text: note.body)]
        return note
    }

    /// The notes that are searched; the plan says where there may be more.
    private func notes(in store: any NoteStore, _ plan: inout ActionPlan) async throws -> [StoredNote] {
        let notes = try await store.notes(limit: Self.maxNotes)
        if notes.count >= Self.maxNotes {
            plan.notices.append("Only the \(Self.maxNotes) notes that were changed last were searched.")
        }
        return notes
    }

    func notFound(_ kind: String) -> AssistantError {
        AssistantError(.itemNotFound, "No \(kind) fits these words.")
    }

    private static func text(_ tags: [String]) -> String {
        tags.isEmpty ? "none" : PlainText.line(tags.joined(separator: ", "), upTo: 200)
    }

    static func text(_ value: Double) -> String {
        Int(exactly: value).map { String($0) } ?? String(value)
    }
}

extension ActionPlan {
    /// The plan of an action that has read.
    init(_ results: Results) {
        self.init()
        self.results = results
    }

    /// Takes the item that the user chose, or else the first, and notes it and the others that fit.
    ///
    /// - Parameters:
    ///   - fits: the items that the words fit, nearest first.
    ///   - choices: what the user chose.
    ///   - shown: an item as a card shows it.
    /// - Returns: the item; nil if none fits.
    mutating func choose<Item>(
        among fits: ItemSearch.Found<Item>, _ choices: ActionChoices, shown: (Item) -> PlannedItem
    ) -> Item? {
        var others = fits.items.map(shown)
        guard let place = others.firstIndex(where: { $0.id == choices.target }) ?? others.indices.first else {
            return nil
        }
        items = [others.remove(at: place)]
        alternatives = Array(others.prefix(ItemSearch.maxAlternatives))
        if fits.isGuess { notices.append(Self.guess) }
        return fits.items[place]
    }
}
