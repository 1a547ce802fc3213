// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import Synchronization

/// A calendar in memory, with events that may recur every so many days.
struct MemoryCalendar: MemoryStore, CalendarStore {
    struct Event: Codable, Hashable {
        var title: String
        var time: EventTime
        var location: String?
        var notes: String?
        var isBusy = true
        /// The days between dates, and how many dates there are.
        var every: Int?
        var count = 1
        /// The dates that were deleted or moved.
        var without: Set<Int> = []
        var moved: [Int: EventTime] = [:]
    }

    let name = "calendar"
    let items: MemoryItems
    let clock: LocalClock

    @discardableResult
    func add(_ event: Event) throws -> StoredEvent.ID {
        let change = try creation(event)
        try items.apply(change)
        items.state.withLock { $0.made.removeAll() }
        return StoredEvent.ID(item: try change.after.orThrow.id)
    }

    private func dates(_ id: StoreItem.ID, _ event: Event) -> [StoredEvent] {
        (0..<event.count).filter { !event.without.contains($0) }.map { index in
            var time = event.time
            if index > 0, let every = event.every {
                switch event.time {
                case .timed(let interval):
                    let day = clock.day(of: interval.start) + index * every
                    let start = clock.instant(day, clock.time(of: interval.start))
                    time = .timed(DateInterval(start: start, duration: interval.duration))
                case .allDay(let days):
                    time = .allDay(days.lowerBound + index * every...days.upperBound + index * every)
                }
            }
            return StoredEvent(
                id: StoredEvent.ID(item: id, recurrence: event.every == nil ? nil : String(index)), title: event.title,
                time: event.moved[index] ?? time, location: event.location, notes: event.notes,
                isRecurring: event.every != nil, isBusy: event.isBusy)
        }
    }

    func events(in range: DateInterval) async throws -> [StoredEvent] {
        all(Event.self).flatMap { dates($0.id, $0.value) }.filter {
            let time = $0.time.interval(clock)
            return time.start < range.end && (time.end > range.start || time.start == range.start)
        }.sorted { $0.time.interval(clock).start < $1.time.interval(clock).start }
    }

    func event(_ id: StoredEvent.ID) async throws -> StoredEvent? {
        guard items.item(id.item) != nil else { return nil }
        return dates(id.item, try value(id.item, Event.self).value).first { $0.id == id }
    }

    func creation(of fields: EventFields) async throws -> Change<StoreItem> {
        guard let title = fields.title, let time = fields.time else {
            throw AssistantError(.invalidInput, "An event needs a title and a time.")
        }
        var event = Event(title: title, time: time, location: fields.location, notes: fields.notes)
        if fields.recurrence != nil { (event.every, event.count) = (7, 4) }
        return try creation(event)
    }

    func update(
        of id: StoredEvent.ID, scope: EventScope, with fields: EventFields
    ) async throws -> Change<StoreItem> {
        var (item, event) = try value(id.item, Event.self)
        event.title = fields.title ?? event.title
        event.location = fields.location ?? event.location
        event.notes = fields.notes ?? event.notes
        if let time = fields.time {
            if scope == .occurrence, let date = id.recurrence.flatMap({ Int($0) }) {
                event.moved[date] = time
            } else {
                event.time = time
            }
        }
        return Change(before: item, after: StoreItem(id: id.item, content: try Self.data(event)))
    }

    func deletion(of id: StoredEvent.ID, scope: EventScope) async throws -> Change<StoreItem> {
        let item = try value(id.item, Event.self).item
        guard scope == .occurrence, id.recurrence != nil else { return Change(before: item, after: nil) }
        return try await deletions(of: [id])[0]
    }

    func deletions(of ids: [StoredEvent.ID]) async throws -> [Change<StoreItem>] {
        var changes: [Change<StoreItem>] = []
        for item in Set(ids.map(\.item)).sorted(by: { $0.path < $1.path }) {
            var (before, event) = try value(item, Event.self)
            let dates = ids.filter { $0.item == item }.compactMap { $0.recurrence.flatMap { Int($0) } }
            event.without.formUnion(dates)
            let isOver = event.every == nil || event.without.count >= event.count
            changes.append(
                Change(before: before, after: isOver ? nil : StoreItem(id: item, content: try Self.data(event))))
        }
        return changes
    }
}

struct MemoryReminders: MemoryStore, ReminderStore {
    struct Reminder: Codable, Hashable {
        var title: String
        var body: String?
        var due: Date
    }

    let name = "reminders"
    let items: MemoryItems

    func openReminders() async throws -> [StoredReminder] {
        all(Reminder.self).map { StoredReminder(id: .init(item: $0.id), title: $0.value.title, due: $0.value.due) }
    }
    func creation(title: String, body: String?, at time: Date) async throws -> Change<StoreItem> {
        try creation(Reminder(title: title, body: body, due: time))
    }
    func completion(of id: StoredReminder.ID, at time: Date) async throws -> Change<StoreItem> {
        Change(before: try value(id.item, Reminder.self).item, after: nil)
    }
}

struct MemoryNotes: MemoryStore, NoteStore {
    struct Note: Codable, Hashable {
        var title: String
        var body: String
        var tags: [String] = []
        var changed = Date(timeIntervalSince1970: 0)
        var summary: String?
    }

    let name = "notes"
    let items: MemoryItems

    @discardableResult
    func add(_ note: Note) throws -> StoreItem.ID {
        let change = try creation(note)
        try items.apply(change)
        items.state.withLock { $0.made.removeAll() }
        return try change.after.orThrow.id
    }
    func notes(limit: Int) async throws -> [StoredNote] {
        let all = all(Note.self).map { Self.stored($0.id, $0.value) }
        return Array(all.sorted { $0.changed > $1.changed }.prefix(limit))
    }
    func note(_ id: StoreItem.ID) async throws -> StoredNote? {
        items.item(id) == nil ? nil : Self.stored(id, try value(id, Note.self).value)
    }
    func creation(title: String, body: String, tags: [String]) async throws -> Change<StoreItem> {
        try creation(Note(title: title, body: body, tags: tags))
    }
    func update(
        of id: StoreItem.ID, title: String?, body: String?, tags: [String]?
    ) async throws -> Change<StoreItem> {
        var (item, note) = try value(id, Note.self)
        (note.title, note.body, note.tags) = (title ?? note.title, body ?? note.body, tags ?? note.tags)
        return Change(before: item, after: StoreItem(id: id, content: try Self.data(note)))
    }
    func enrichment(of id: StoreItem.ID, with enrichment: NoteEnrichment) async throws -> Change<StoreItem> {
        var (item, note) = try value(id, Note.self)
        note.summary = enrichment.summary
        return Change(before: item, after: StoreItem(id: id, content: try Self.data(note)))
    }
    func deletion(of id: StoreItem.ID) async throws -> Change<StoreItem> {
        Change(before: try value(id, Note.self).item, after: nil)
    }
    private static func stored(_ id: StoreItem.ID, _ note: Note) -> StoredNote {
        var stored = StoredNote(id: id, title: note.title, body: note.body, tags: note.tags, changed: note.changed)
        stored.isEnriched = note.summary != nil
        return stored
    }
}

struct MemoryHabits: MemoryStore, HabitStore {
    struct Habit: Codable, Hashable {
        var name: String
        var unit = "boolean"
        var frequency = "daily"
        var emoji: String?
        var values: [String: Double] = [:]
    }

    let name = "habits"
    let items: MemoryItems
    let clock: LocalClock

    func add(_ habit: Habit) throws {
        try items.apply(try creation(habit))
        items.state.withLock { $0.made.removeAll() }
    }
    func habits() async throws -> [StoredHabit] {
        all(Habit.self).map { id, habit in
            StoredHabit(
                id: id, name: habit.name, unit: HabitAction.Unit(rawValue: habit.unit) ?? .boolean,
                frequency: HabitAction.Frequency(rawValue: habit.frequency) ?? .daily, emoji: habit.emoji,
                values: Dictionary(
                    habit.values.compactMap { key, value in
                        (try? Date(key, strategy: .iso8601)).map { (clock.day(of: $0), value) }
                    }, uniquingKeysWith: { first, _ in first }))
        }.sorted { $0.name < $1.name }
    }
    func creation(
        name: String, unit: HabitAction.Unit, frequency: HabitAction.Frequency, emoji: String?
    ) async throws -> Change<StoreItem> {
        guard try await !habits().contains(where: { $0.name == name }) else {
            throw AssistantError(.invalidInput, "There is a habit of that name.")
        }
        return try creation(Habit(name: name, unit: unit.rawValue, frequency: frequency.rawValue, emoji: emoji))
    }
    func recording(_ value: Double, of id: StoreItem.ID, on day: CivilDate) async throws -> Change<StoreItem> {
        var (item, habit) = try self.value(id, Habit.self)
        habit.values[clock.start(of: day).formatted(.iso8601)] = value
        return Change(before: item, after: StoreItem(id: id, content: try Self.data(habit)))
    }
}

struct MemoryContacts: ContactStore {
    var contacts: [StoredContact]

    func contacts(matching query: String, limit: Int) async throws -> [StoredContact] {
        contacts.filter { $0.name.lowercased().contains(query.lowercased()) }
    }
}

/// A search engine that answers with what it is given, and counts how often it is asked.
final class MemoryWeb: WebSearcher, DocumentReader {
    let results: [WebResult]
    let queries = Mutex<[String]>([])
    /// Whether it never answers.
    let isStuck: Bool
    /// What every page says.
    let page: String

    init(_ results: [WebResult] = [], isStuck: Bool = false, page: String = "") {
        (self.results, self.isStuck, self.page) = (results, isStuck, page)
    }

    func results(for query: String, limit: Int) async throws -> [WebResult] {
        queries.withLock { $0.append(query) }
        if isStuck { try await Task.sleep(for: .seconds(3600)) }
        return results
    }
    func text(at url: URL) async throws -> DocumentText {
        queries.withLock { $0.append(url.absoluteString) }
        return DocumentText(title: "", text: page)
    }
}

extension Optional {
    /// The value; an error of the test where there is none.
    var orThrow: Wrapped {
        get throws {
            guard let self else { throw AssistantError(.invalidAnswer, "The test expects a value.") }
            return self
        }
    }
}
