// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
import ParleyCalendar

/// The reminders of a collection of iCalendar items: the to-dos of a vdir, as todoman keeps them, or of a server.
///
/// A reminder that recurs is shown with the date that is to be done next. Of an item with several to-dos each is a
/// reminder, and a change of one keeps every byte of the others.
public struct ReminderItems: ReminderStore {
    private let collection: any ItemCollection
    private let reader: CalendarReader
    private let context: CalendarContext

    /// Creates a store of reminders.
    ///
    /// - Parameters:
    ///   - collection: Items with the suffix `ics`, which may be those of a calendar too.
    ///   - timeZone: The user's zone, for new reminders and for times without a zone.
    ///   - folder: The folder of the collection in which new reminders are created; empty for a collection without
    ///     folders.
    ///   - now: Returns the present time.
    ///   - newUID: Returns an identifier that no other reminder has, which is also the name of the item.
    public init(
        _ collection: any ItemCollection, timeZone: TimeZone, folder: String = "personal",
        now: @escaping @Sendable () -> Date = { Date() },
        newUID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) {
        self.collection = collection
        reader = CalendarReader(collection)
        context = CalendarContext(timeZone: timeZone, folder: folder, now: now, newUID: newUID)
    }

    /// The name of the collection.
    public var name: String { collection.name }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: As the collection does.
    public func item(_ id: StoreItem.ID) async throws -> StoreItem? { try await collection.item(id) }

    /// Makes a change; see ``ItemStore``.
    ///
    /// - Throws: As the collection does.
    public func apply(_ change: Change<StoreItem>) async throws { try await collection.apply(change) }

    /// The reminders that are not done, in the order in which they are due, those without a time last.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func openReminders() async throws -> [StoredReminder] {
        try await open().map(\.reminder).sorted { ($0.due ?? .distantFuture) < ($1.due ?? .distantFuture) }
    }

    /// The reminders that are not done although they are due, the longest overdue first.
    ///
    /// - Parameter time: Usually the present time.
    /// - Returns: The reminders that are due at this time or before it.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func due(before time: Date) async throws -> [StoredReminder] {
        try await openReminders().filter { $0.due.map { $0 <= time } ?? false }
    }

    /// The alarms of open reminders, in the order of their times.
    ///
    /// A reminder without an alarm has one when it is due, and one of a day in its morning.
    ///
    /// - Parameter range: A range of time; its start belongs to it, its end does not.
    /// - Returns: The alarms in the range.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func alarms(in range: Range<Date>) async throws -> [ReminderAlarm] {
        try await open().flatMap { toDo in
            toDo.alarmTimes.filter(range.contains).map {
                ReminderAlarm(reminder: toDo.reminder, time: $0)
            }
        }.sorted { ($0.time, $0.reminder.id.description) < ($1.time, $1.reminder.id.description) }
    }

    /// The next alarm after a time; nil if there is none.
    ///
    /// - Parameter time: Usually the present time, or that of the last alarm.
    /// - Returns: The first alarm that is later.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func nextAlarm(after time: Date) async throws -> ReminderAlarm? {
        try await alarms(in: time..<Date.distantFuture).first { $0.time > time }
    }

    private func open() async throws -> [OpenToDo] {
        try await reader.all().flatMap { OpenToDo.all(in: $0, local: context.timeZone) }
    }

    /// The change that creates a reminder with an alarm at its time.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` if the title is empty.
    public func creation(title: String, body: String?, at time: Date) async throws -> Change<StoreItem> {
        guard !title.allSatisfy(\.isWhitespace) else {
            throw AssistantError(.invalidInput, "A new reminder needs a title.")
        }
        let (uid, stamp) = (context.newUID(), context.stamp)
        var toDo = CalendarToDo(uid: uid, due: context.time(time), summary: title, stamp: stamp)
        toDo.component.set("CREATED", CalendarTime.utc(stamp).text)
        if let body, !body.isEmpty { toDo.details = body }
        // Relative to the end, which is when it is due; so it moves along when another program moves the reminder.
        toDo.add(CalendarAlarm(.end(.init()), text: title))
        var calendar = CalendarObject(product: CalendarContext.product)
        calendar.add(toDo)
        return Change(before: nil, after: context.item(calendar, uid: uid, store: name))
    }

    /// The change that marks a reminder as done; one that recurs gets the date that is due next, if there is one.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, also if it is done already, or `invalidItem`.
    public func completion(of id: StoredReminder.ID, at time: Date) async throws -> Change<StoreItem> {
        let all = try await reader.existing(id.item).flatMap { OpenToDo.all(in: $0, local: context.timeZone) }
        guard let open = all.first(where: { $0.reminder.id == id }) else {
            throw AssistantError(.itemNotFound, "\(id) has no reminder that is not done.")
        }
        let item = open.item
        var calendar = item.calendar
        let (done, stamp) = (CivilTime(time), context.stamp)
        do throws(CalendarError) {
            guard let occurrence = open.occurrence, open.toDo.recurs || open.toDo.recurrenceID != nil else {
                try calendar.update(open.toDo, now: stamp) { $0.complete(at: done) }
                return item.change(to: calendar)
            }
            if open.series.items.count == 1, (try open.series.items[0].rules()).count == 1 {
                if let next = open.next(after: occurrence) {
                    try calendar.advance(to: next, now: stamp)
                } else {
                    try calendar.update(open.toDo, now: stamp) { $0.complete(at: done) }
                }
            } else {
                // Some other program marks the dates one by one, so this one is marked too.
                try calendar.override(occurrence, now: stamp) { $0.complete(at: done) }
            }
        } catch {
            throw AssistantError(error)
        }
        return item.change(to: calendar)
    }
}

/// The time at which a reminder wants to be noticed.
public struct ReminderAlarm: Hashable, Sendable {
    /// The reminder.
    public var reminder: StoredReminder
    /// When the alarm goes off.
    public var time: Date

    /// Creates an alarm.
    public init(reminder: StoredReminder, time: Date) { (self.reminder, self.time) = (reminder, time) }
}
