// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import Testing

@Suite("Series of CalendarItems")
struct CalendarSeriesTests: CalendarSuite {
    @Test("one date is changed by an override, again in place, and deleted by an exception")
    func occurrence() async throws {
        let items = ItemsInMemory(["personal/a.ics": calendar(series)])
        let store = items.calendar
        let day = range("2026-03-09", "2026-03-10")
        var event = try #require(try await store.events(in: day).first)
        for hour in ["14", "15"] {
            let start = ItemsInMemory.date("2026-03-09T\(hour):00:00Z")
            let change = try await store.update(
                of: event.id, scope: .occurrence,
                with: fields { $0.time = .timed(DateInterval(start: start, duration: 3600)) })
            try await store.apply(change)
            let moved = try #require(try await store.events(in: day).first)
            #expect(moved.id == event.id)
            #expect(times([moved]) == ["2026-03-09T\(hour):00:00Z 60"])
            event = moved
        }
        let lines = await items.lines("personal/a.ics")
        #expect(lines.count { $0 == "BEGIN:VEVENT" } == 2)
        #expect(lines.contains("RECURRENCE-ID;TZID=Europe/Berlin:20260309T090000"))
        #expect(lines.contains("DTSTART;TZID=Europe/Berlin:20260309T160000"))
        let all = try await store.events(in: range("2026-03-01", "2026-05-10")).count
        try await store.apply(try await store.deletion(of: event.id, scope: .occurrence))
        #expect(try await store.event(event.id) == nil)
        #expect(try await store.events(in: range("2026-03-01", "2026-05-10")).count == all - 1)
        let next = try #require(try await store.events(in: range("2026-03-11", "2026-03-12")).first)
        let deletion = try await store.deletion(of: next.id, scope: .series)
        #expect(deletion.after == nil)
        try await store.apply(deletion)
        #expect(await items.paths() == [])
    }

    @Test("a series moves with its exceptions, its end and its overrides, also to another day")
    func moveSeries() async throws {
        let moved = """
            UID:weekly
            RECURRENCE-ID:20260330T070000Z
            DTSTART;TZID=Europe/Berlin:20260330T180000
            DTEND;TZID=Europe/Berlin:20260330T190000
            SUMMARY:Late
            """
        let items = ItemsInMemory(["personal/a.ics": calendar(series, moved)])
        let store = items.calendar
        let whole = range("2026-03-01", "2026-06-01")
        let before = try await store.events(in: whole)
        let event = try #require(before.first { times([$0]) == ["2026-04-08T07:00:00Z 30"] })
        let change = try await store.update(
            of: event.id, scope: .series,
            with: fields {
                $0.time = .timed(DateInterval(start: ItemsInMemory.date("2026-04-09T08:30:00Z"), duration: 2700))
            })
        try await store.apply(change)
        let after = try await store.events(in: whole)
        #expect(after.count == before.count)
        for (old, new) in zip(before, after) {
            guard case .timed(let old) = old.time, case .timed(let interval) = new.time else { continue }
            if new.title == "Late" { continue }
            #expect(interval.start == old.start.addingTimeInterval(86_400 + 5400))
            #expect(interval.duration == 2700)
        }
        let lines = await items.lines("personal/a.ics")
        for line in [
            "RRULE:FREQ=WEEKLY;UNTIL=20260430T083000Z;BYDAY=TU,TH", "EXDATE;TZID=Europe/Berlin:20260305T103000",
            "RECURRENCE-ID;TZID=Europe/Berlin:20260331T103000", "DTSTART;TZID=Europe/Berlin:20260330T180000",
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test("a date with only a place of its own moves with its series, and the shown date gets the time that was said")
    func moveDates() async throws {
        let placed = """
            UID:weekly
            RECURRENCE-ID:20260311T080000Z
            DTSTART;TZID=Europe/Berlin:20260311T090000
            DTEND;TZID=Europe/Berlin:20260311T093000
            SUMMARY:Stand-up
            LOCATION:Hall
            """
        let late = """
            UID:weekly
            RECURRENCE-ID;TZID=Europe/Berlin:20260318T090000
            DTSTART;TZID=Europe/Berlin:20260318T180000
            DTEND;TZID=Europe/Berlin:20260318T183000
            SUMMARY:Late
            """
        let items = ItemsInMemory(["personal/a.ics": calendar(series, placed, late)])
        let store = items.calendar
        func move(_ title: String, to start: String, minutes: Double) async throws -> [StoredEvent] {
            let events = try await store.events(in: range("2026-03-09", "2026-03-20"))
            let event = try #require(events.first { $0.title == title })
            let change = try await store.update(
                of: event.id, scope: .series,
                with: fields {
                    $0.time = .timed(DateInterval(start: ItemsInMemory.date(start), duration: 60 * minutes))
                })
            try await store.apply(change)
            return try await store.events(in: range("2026-03-09", "2026-03-20"))
        }
        var events = try await move("Stand-up", to: "2026-03-09T09:30:00Z", minutes: 45)
        #expect(
            times(events) == [
                "2026-03-09T09:30:00Z 45", "2026-03-11T09:30:00Z 45", "2026-03-16T09:30:00Z 45",
                "2026-03-18T17:00:00Z 30",
            ])
        #expect(events[1].location == "Hall")
        events = try await move("Late", to: "2026-03-18T12:00:00Z", minutes: 60)
        #expect(
            times(events) == [
                "2026-03-09T12:00:00Z 60", "2026-03-11T12:00:00Z 60", "2026-03-16T12:00:00Z 60",
                "2026-03-18T12:00:00Z 60",
            ])
        #expect(events[3].title == "Late")
    }

    /// A weekly series that is moved as a whole to 10:00 UTC by its date on 9 March, which is one of its own.
    private func moved(_ series: String, by date: String) async throws -> ItemsInMemory {
        let items = ItemsInMemory([
            "a.ics": calendar(
                "UID:a\n\(series)\nDURATION:PT30M\nRRULE:FREQ=WEEKLY\nSUMMARY:A",
                "UID:a\n\(date)\nDURATION:PT30M\nSUMMARY:A")
        ])
        let store = items.calendar
        let shown = try #require(try await store.events(in: range("2026-03-09", "2026-03-10")).first)
        #expect(times([shown]) == ["2026-03-09T09:00:00Z 30"])
        let time = DateInterval(start: ItemsInMemory.date("2026-03-09T10:00:00Z"), duration: 1800)
        try await store.apply(
            try await store.update(of: shown.id, scope: .series, with: fields { $0.time = .timed(time) }))
        return items
    }

    @Test(
        "a series that is moved by a date in another zone, or with a name in one, keeps its own zone and clock",
        arguments: [
            "RECURRENCE-ID:20260309T080000Z\nDTSTART;TZID=Europe/Berlin:20260309T100000",
            "RECURRENCE-ID;TZID=Europe/Berlin:20260309T090000\nDTSTART:20260309T090000Z",
            "RECURRENCE-ID;TZID=Europe/Berlin:20260309T090000\nDTSTART;TZID=America/New_York:20260309T050000",
        ])
    func moveByOtherZone(date: String) async throws {
        let items = try await moved("DTSTART;TZID=Europe/Berlin:20260302T090000", by: date)
        #expect(await items.lines("a.ics").contains("DTSTART;TZID=Europe/Berlin:20260302T110000"))
        #expect(
            try await times(items.calendar.events(in: range("2026-03-01", "2026-04-01"))) == [
                "2026-03-02T10:00:00Z 30", "2026-03-09T10:00:00Z 30", "2026-03-16T10:00:00Z 30",
                "2026-03-23T10:00:00Z 30", "2026-03-30T09:00:00Z 30",
            ])
    }

    @Test(
        "a time without a zone is the user's, of a series as of one of its dates",
        arguments: [
            ("DTSTART:20260302T090000", "RECURRENCE-ID:20260309T090000\nDTSTART:20260309T090000Z", "T110000"),
            (
                "DTSTART;TZID=America/New_York:20260302T090000",
                "RECURRENCE-ID;TZID=America/New_York:20260309T090000\nDTSTART:20260309T100000", "T060000"
            ),
        ])
    func moveFloating(series: String, date: String, start: String) async throws {
        let items = try await moved(series, by: date)
        #expect(await items.lines("a.ics").contains { $0.hasPrefix("DTSTART") && $0.hasSuffix("20260302\(start)") })
    }

    @Test("a series that is renamed renames its moved dates, but not those with a title of their own")
    func renameSeries() async throws {
        func date(_ day: String, _ summary: String, _ rest: String = "") -> String {
            """
            UID:weekly
            RECURRENCE-ID;TZID=Europe/Berlin:202603\(day)T090000
            DTSTART;TZID=Europe/Berlin:202603\(day)T180000
            DTEND;TZID=Europe/Berlin:202603\(day)T190000
            SUMMARY:\(summary)\(rest)
            """
        }
        let items = ItemsInMemory([
            "personal/a.ics": calendar(series, date("09", "Stand-up"), date("16", "Late", "\nLOCATION:Hall"))
        ])
        let store = items.calendar
        let whole = range("2026-03-01", "2026-06-01")
        let event = try #require(try await store.events(in: whole).first)
        let change = try await store.update(
            of: event.id, scope: .series,
            with: fields {
                $0.title = "Morning"
                $0.location = "Room 1"
            })
        try await store.apply(change)
        let after = try await store.events(in: whole)
        #expect(after.count(where: { $0.title == "Late" && $0.location == "Hall" }) == 1)
        #expect(after.count(where: { $0.title == "Morning" && $0.location == "Room 1" }) == after.count - 1)
        #expect(after.count > 10)
    }

    @Test("a series gets another rule, and becomes one of whole days with its exceptions")
    func wholeSeries() async throws {
        let items = ItemsInMemory(["personal/a.ics": calendar(series)])
        let store = items.calendar
        var event = try #require(try await store.events(in: range("2026-03-01", "2026-03-10")).first)
        try await store.apply(
            try await store.update(of: event.id, scope: .series, with: fields { $0.isAllDay = true }))
        var lines = await items.lines("personal/a.ics")
        for line in [
            "DTSTART;VALUE=DATE:20260302", "DTEND;VALUE=DATE:20260303", "EXDATE;VALUE=DATE:20260304",
            "RRULE:FREQ=WEEKLY;UNTIL=20260429;BYDAY=MO,WE",
        ] { #expect(lines.contains(line), "\(line)") }
        event = try #require(try await store.events(in: range("2026-03-01", "2026-03-10")).first)
        var recurrence = Recurrence(.weekly, every: 2)
        recurrence.count = 4
        try await store.apply(
            try await store.update(of: event.id, scope: .series, with: fields { $0.recurrence = recurrence }))
        lines = await items.lines("personal/a.ics")
        #expect(lines.contains("RRULE:FREQ=WEEKLY;COUNT=4;INTERVAL=2"))
        let error = await #expect(throws: AssistantError.self) {
            try await store.update(of: event.id, scope: .occurrence, with: fields { $0.recurrence = recurrence })
        }
        #expect(error?.code == .invalidInput)
        let unknown = StoredEvent.ID(item: items.id("personal/a.ics"), recurrence: "20270101")
        await #expect(throws: AssistantError.self) {
            try await store.update(of: unknown, scope: .occurrence, with: fields { $0.title = "x" })
        }
    }

    @Test("several dates of one series are deleted in one change, and other events in others")
    func severalDates() async throws {
        let items = ItemsInMemory([
            "personal/a.ics": calendar(series),
            "personal/b.ics": calendar("UID:b\nDTSTART:20260310T090000Z\nSUMMARY:B"),
        ])
        let store = items.calendar
        let ids = try await store.events(in: range("2026-03-09", "2026-03-17")).map(\.id)
        #expect(ids.count == 4)
        let changes = try await store.deletions(of: ids + ids)
        #expect(changes.count == 2)
        for change in changes { try await store.apply(change) }
        #expect(
            try await times(store.events(in: range("2026-03-01", "2026-03-20"))) == [
                "2026-03-02T08:00:00Z 30", "2026-03-18T08:00:00Z 30",
            ])
        let lines = await items.lines("personal/a.ics")
        for day in ["04", "09", "11", "16"] {
            #expect(lines.contains("EXDATE;TZID=Europe/Berlin:202603\(day)T090000"))
        }
        #expect(await items.item(items.id("personal/b.ics")) == nil)
        // One inverse brings all of its dates back.
        for change in changes { try await store.apply(Change(before: change.after, after: change.before)) }
        #expect(try await store.events(in: range("2026-03-09", "2026-03-17")).map(\.id) == ids)
        let error = await #expect(throws: AssistantError.self) {
            try await store.deletions(of: [StoredEvent.ID(item: items.id("personal/x.ics"))])
        }
        #expect(error?.code == .itemNotFound)
    }
}
