// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import Testing

/// The texts of items of the system's calendar, over which changes are planned. What EventKit itself does is not tested.
@Suite("Items of the system's calendar")
struct SystemItemTests {
    private static let zone = "Europe/Berlin"

    private static func time(_ text: String) throws -> CalendarTime { try #require(CalendarTime(text, zone: zone)) }

    private static func lunch() throws -> SystemEvent {
        var event = SystemEvent(start: try time("20260310T120000"), end: try time("20260310T130000"))
        event.title = "Lunch; with Anna, and\nothers"
        event.location = "Café"
        event.coordinate = SystemEvent.Coordinate(latitude: 52.5, longitude: 13.25)
        event.notes = "Line\nline"
        event.url = "https://example.org/?a=1,2;b"
        event.availability = .tentative
        event.alarms = [.start(CalendarDuration(seconds: -900)), .at(CivilTime(seconds: 1_773_100_800))]
        event.calendar = "CAL-1"
        return event
    }

    private static func item(_ event: SystemEvent, _ path: String) -> (String, String) {
        let text = String(decoding: event.content(uid: SystemItemPath(path)?.stem ?? ""), as: UTF8.self)
        return (path, text.replacing("\r\n", with: "\n"))
    }

    @Test("an event is read from its text as it was, and the same event has the same bytes")
    func roundTrip() throws {
        var event = try Self.lunch()
        #expect(try SystemEvent(reading: event.content(uid: "a"), local: ItemsInMemory.berlin) == event)
        event.rule = RecurrenceRule(.weekly, interval: 2, end: .until(.utc(CivilTime(seconds: 1_774_994_399))))
        event.rule?.days = [RecurrenceRule.Day(.tuesday)]
        event.original = try Self.time("20260310T120000")
        let read = try SystemEvent(reading: event.content(uid: "a"), local: ItemsInMemory.berlin)
        #expect(read == event)
        #expect(read.content(uid: "a") == event.content(uid: "a"))
    }

    @Test("a creation that was planned over iCalendar becomes an event for the system, in its calendar for new events")
    func creation() async throws {
        let store = ItemsInMemory().calendar
        var fields = EventFields()
        let start = ItemsInMemory.date("2026-03-10T11:00:00Z")
        (fields.title, fields.time) = ("Lunch", .timed(DateInterval(start: start, duration: 3600)))
        (fields.location, fields.reminderMinutes) = ("Café", 15)
        let planned = try await store.creation(of: fields)
        let change = try SystemEvent.canonical(planned, calendar: "CAL-1", local: ItemsInMemory.berlin)
        let content = try #require(change.after?.content)
        let event = try SystemEvent(reading: content, local: ItemsInMemory.berlin)
        #expect(event.title == "Lunch" && event.location == "Café" && event.calendar == "CAL-1")
        #expect(try event.start == Self.time("20260310T120000") && event.end == Self.time("20260310T130000"))
        #expect(event.alarms == [.start(CalendarDuration(seconds: -900))])
        #expect(!String(decoding: content, as: UTF8.self).contains("CREATED"))
    }

    @Test("a change keeps what it does not concern; a new place has not the coordinate of the old one")
    func update() async throws {
        let items = ItemsInMemory(Dictionary(uniqueKeysWithValues: [Self.item(try Self.lunch(), "personal/a.ics")]))
        var fields = EventFields()
        fields.location = "Office"
        let planned = try await items.calendar.update(
            of: StoredEvent.ID(item: items.id("personal/a.ics")), scope: .occurrence, with: fields)
        let change = try SystemEvent.canonical(planned, calendar: nil, local: ItemsInMemory.berlin)
        let event = try SystemEvent(reading: try #require(change.after?.content), local: ItemsInMemory.berlin)
        var expected = try Self.lunch()
        (expected.location, expected.coordinate) = ("Office", nil)
        #expect(event == expected)
        #expect(change.before == planned.before)
    }

    @Test("one date of a series is an item of its own, of which a change leaves the series alone")
    func occurrence() async throws {
        var date = try Self.lunch()
        date.original = try Self.time("20260310T120000")
        let path = "personal/a@20260310T110000Z.ics"
        let items = ItemsInMemory(Dictionary(uniqueKeysWithValues: [Self.item(date, path)]))
        var fields = EventFields()
        let start = ItemsInMemory.date("2026-03-11T11:00:00Z")
        fields.time = .timed(DateInterval(start: start, duration: 3600))
        let planned = try await items.calendar.update(
            of: StoredEvent.ID(item: items.id(path)), scope: .occurrence, with: fields)
        let change = try SystemEvent.canonical(planned, calendar: nil, local: ItemsInMemory.berlin)
        let event = try SystemEvent(reading: try #require(change.after?.content), local: ItemsInMemory.berlin)
        #expect(try event.start == Self.time("20260311T120000"))
        #expect(event.original == date.original && event.rule == nil && event.title == date.title)
    }

    @Test("a series is moved with the date that is shown, by its own rule")
    func series() async throws {
        var event = try Self.lunch()
        event.rule = RecurrenceRule(.weekly)
        let items = ItemsInMemory(Dictionary(uniqueKeysWithValues: [Self.item(event, "a.ics")]))
        var fields = EventFields()
        let start = ItemsInMemory.date("2026-03-17T12:00:00Z")
        fields.time = .timed(DateInterval(start: start, duration: 3600))
        let shown = StoredEvent.ID(item: items.id("a.ics"), recurrence: "Europe/Berlin:20260317T120000")
        let planned = try await items.calendar.update(of: shown, scope: .series, with: fields)
        let change = try SystemEvent.canonical(planned, calendar: nil, local: ItemsInMemory.berlin)
        let after = try SystemEvent(reading: try #require(change.after?.content), local: ItemsInMemory.berlin)
        #expect(try after.start == Self.time("20260310T130000") && after.rule == RecurrenceRule(.weekly))
    }

    @Test("the end of a rule is that of its day, however it is stated")
    func until() throws {
        func text(_ until: String) -> Data {
            let lines = "UID:a\nDTSTART;TZID=\(Self.zone):20260310T120000\nRRULE:FREQ=DAILY;UNTIL=\(until);WKST=SU"
            return Data(calendar(lines).replacing("\n", with: "\r\n").utf8)
        }
        let berlin = ItemsInMemory.berlin
        let rules = try ["20260331T090000Z", "20260331", "20260331T235959"].map {
            try SystemEvent(reading: text($0), local: berlin).rule
        }
        #expect(Set(rules).count == 1 && rules[0]?.text == "FREQ=DAILY;UNTIL=20260331T215959Z")
    }

    @Test("a calendar that is not stated is any, and a date that was brought back is an event")
    func sameness() throws {
        let one = try Self.lunch()
        var two = one
        two.calendar = nil
        two.original = two.start
        #expect(one.isSame(as: two) && two.isSame(as: one))
        two.title += "!"
        #expect(!one.isSame(as: two))
        var other = one
        other.calendar = "CAL-2"
        #expect(!one.isSame(as: other))
    }

    @Test("a reminder is created, read from its text, and done; its alarm moves with a series")
    func reminders() async throws {
        let berlin = ItemsInMemory.berlin
        let due = ItemsInMemory.date("2026-03-10T11:00:00Z")
        let planned = try await ItemsInMemory().reminders.creation(title: "Water", body: "The ferns", at: due)
        let change = try SystemReminder.canonical(planned, list: "LIST", local: berlin)
        let content = try #require(change.after?.content)
        var reminder = try SystemReminder(reading: content, local: berlin)
        #expect(reminder.title == "Water" && reminder.notes == "The ferns" && reminder.list == "LIST")
        #expect(try reminder.due == Self.time("20260310T120000"))
        #expect(reminder.alarms == [.at(CivilTime(seconds: Int(due.timeIntervalSince1970)))])
        #expect(reminder.content(uid: "personal/new") == content)

        reminder.rule = RecurrenceRule(.daily)
        let text = String(decoding: reminder.content(uid: "a"), as: UTF8.self).replacing("\r\n", with: "\n")
        let items = ItemsInMemory(["a.ics": text])
        let done = try await items.reminders.completion(of: .init(item: items.id("a.ics")), at: due)
        let after = try #require(SystemReminder.canonical(done, list: nil, local: berlin).after?.content)
        let next = try SystemReminder(reading: after, local: berlin)
        #expect(try next.due == Self.time("20260311T120000") && next.completed == nil)
        #expect(next.alarms == [.at(CivilTime(seconds: Int(due.timeIntervalSince1970) + 86_400))])

        reminder.rule = nil
        let single = String(decoding: reminder.content(uid: "a"), as: UTF8.self).replacing("\r\n", with: "\n")
        let one = ItemsInMemory(["a.ics": single])
        let last = try await one.reminders.completion(of: .init(item: one.id("a.ics")), at: due)
        let ended = try #require(SystemReminder.canonical(last, list: nil, local: berlin).after?.content)
        #expect(
            try SystemReminder(reading: ended, local: berlin).completed
                == CivilTime(seconds: Int(due.timeIntervalSince1970)))
    }

    @Test("names of items outlast the process, and other items are named by their identifiers")
    func names() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "calendar.json")
        var names = SystemItemNames(file: file)
        let path = try names.path(of: "A/B@C%D:E")
        #expect(!path.contains("/") && !path.contains("@"))
        #expect(try names.identifier(of: path) == "A/B@C%D:E")
        try names.keep("ID-1", at: "new")
        try names.keep("ID-2", at: "new")
        var again = SystemItemNames(file: file)
        #expect(try again.identifier(of: "new") == "ID-2")
        #expect(try again.path(of: "ID-2") == "new" && again.path(of: "ID-1") == "ID-1")
        try Data("[]".utf8).write(to: file)
        var damaged = SystemItemNames(file: file)
        #expect(throws: AssistantError.self) { try damaged.identifier(of: "new") }
    }

    @Test("a path names a whole event or one date of it")
    func paths() {
        #expect(SystemItemPath("a:b.ics") == SystemItemPath(name: "a:b"))
        #expect(SystemItemPath("a@20260310.ics") == SystemItemPath(name: "a", date: "20260310"))
        #expect(SystemItemPath("a@20260310.ics")?.text == "a@20260310.ics")
        #expect(SystemItemPath("a") == nil && SystemItemPath(".ics") == nil)
    }
}
