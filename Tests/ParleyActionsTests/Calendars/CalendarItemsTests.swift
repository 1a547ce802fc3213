// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import Testing

@Suite("CalendarItems")
struct CalendarItemsTests: CalendarSuite {
    @Test("dates of series, moved dates and whole days are found; what cannot be read hides nothing")
    func events() async throws {
        let moved = """
            UID:weekly
            RECURRENCE-ID;TZID=Europe/Berlin:20260330T090000
            DTSTART;TZID=America/New_York:20260330T060000
            DTEND;TZID=America/New_York:20260330T070000
            SUMMARY:Late
            """
        let items = ItemsInMemory([
            "personal/a.ics": calendar(series, moved),
            "personal/b.ics": calendar(
                "UID:b\nDTSTART;VALUE=DATE:20260331\nDTEND;VALUE=DATE:20260403\nSUMMARY:Fair\nTRANSP:TRANSPARENT"),
            "personal/broken.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
            "personal/empty.ics": "",
            "personal/task.ics": calendar("UID:t\nDUE:20260331T100000Z\nSUMMARY:Task", name: "VTODO"),
            "work/c.ics": calendar("UID:c\nDTSTART:20260401T120000Z\nSTATUS:CANCELLED\nSUMMARY:Off"),
        ])
        let store = items.calendar
        let found = try await store.events(in: range("2026-03-24", "2026-04-03"))
        #expect(found.map(\.title) == ["Stand-up", "Late", "Fair", "Stand-up", "Off"])
        // 25 March is winter time, 1 April summer time.
        #expect(
            times(found) == [
                "2026-03-25T08:00:00Z 30", "2026-03-30T10:00:00Z 60", "(year: 2026, month: 3, day: 31) 3",
                "2026-04-01T07:00:00Z 30", "2026-04-01T12:00:00Z 0",
            ])
        #expect(found.map(\.isBusy) == [true, true, false, true, false])
        #expect(found.map(\.isRecurring) == [true, true, false, true, false])
        for event in found { #expect(try await store.event(event.id) == event) }
        let gone = StoredEvent.ID(item: items.id("personal/a.ics"), recurrence: "Europe/Berlin:20260304T090000")
        #expect(try await store.event(gone) == nil)
        #expect(try await store.event(.init(item: items.id("personal/x.ics"))) == nil)
        await #expect(throws: AssistantError.self) {
            try await store.event(.init(item: items.id("personal/empty.ics")))
        }
    }

    @Test("a new event is written in the user's zone, with its rule, alarm and texts")
    func creation() async throws {
        let items = ItemsInMemory()
        let store = items.calendar
        let change = try await store.creation(
            of: fields {
                $0.title = "Choir; practice"
                let start = ItemsInMemory.date("2026-03-19T18:00:00Z")
                $0.time = .timed(DateInterval(start: start, duration: 5400))
                ($0.location, $0.notes, $0.reminderMinutes) = ("Hall, 2", "a\nb", 30)
                var recurrence = Recurrence(.monthly, on: [.thursday])
                recurrence.ordinal = 3
                recurrence.until = CivilDate(year: 2026, month: 12, day: 31)
                $0.recurrence = recurrence
            })
        #expect(change.before == nil)
        #expect(change.after?.id == items.id("personal/new.ics"))
        try await store.apply(change)
        let lines = await items.lines("personal/new.ics")
        let event = Array(lines[(try #require(lines.firstIndex(of: "BEGIN:VEVENT")))...])
        #expect(
            event == [
                "BEGIN:VEVENT", "UID:new", "DTSTAMP:20260301T120000Z", "DTSTART;TZID=Europe/Berlin:20260319T190000",
                "DTEND;TZID=Europe/Berlin:20260319T203000", "SUMMARY:Choir\\; practice", "CREATED:20260301T120000Z",
                "RRULE:FREQ=MONTHLY;UNTIL=20261231T225959Z;BYDAY=3TH", "LOCATION:Hall\\, 2", "DESCRIPTION:a\\nb",
                "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Choir\\; practice", "TRIGGER:-PT30M", "END:VALARM",
                "END:VEVENT", "END:VCALENDAR", "",
            ])
        #expect(lines.contains("BEGIN:VTIMEZONE"))
        #expect(lines.contains("TZID:Europe/Berlin"))
        let found = try await store.events(in: range("2026-03-01", "2027-03-01"))
        #expect(found.count == 10)
        #expect(times(found)[1] == "2026-04-16T17:00:00Z 90")
        for fields in [fields { $0.title = "x" }, fields { $0.time = .timed(range("2026-03-02", "2026-03-03")) }] {
            let error = await #expect(throws: AssistantError.self) { try await store.creation(of: fields) }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("whole days have dates without a zone, and the last day belongs to them")
    func wholeDays() async throws {
        let items = ItemsInMemory()
        let day = try #require(CivilDate(year: 2026, month: 5, day: 1))
        let change = try await items.calendar.creation(
            of: fields {
                ($0.title, $0.time) = ("Fair", .allDay(day...(day + 2)))
                var recurrence = Recurrence(.yearly)
                recurrence.count = 3
                $0.recurrence = recurrence
            })
        try await items.apply(change)
        let lines = await items.lines("personal/new.ics")
        #expect(lines.contains("DTSTART;VALUE=DATE:20260501"))
        #expect(lines.contains("DTEND;VALUE=DATE:20260504"))
        #expect(lines.contains("RRULE:FREQ=YEARLY;COUNT=3"))
        #expect(!lines.contains("BEGIN:VTIMEZONE"))
        let found = try await items.calendar.events(in: range("2026-01-01", "2030-01-01"))
        #expect(
            found.map(\.time)
                == [2026, 2027, 2028].map { year in
                    let first = CivilDate(year: year, month: 5, day: 1) ?? day
                    return .allDay(first...(first + 2))
                })
    }

    @Test("a day that ends on itself, as some programs write it, lasts until midnight")
    func closedDay() async throws {
        let items = ItemsInMemory([
            "a.ics": calendar("UID:a\nDTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260310\nSUMMARY:A")
        ])
        let noon = DateInterval(start: ItemsInMemory.date("2026-03-10T11:00:00Z"), duration: 3600)
        let found = try await items.calendar.events(in: noon)
        #expect(times(found) == ["(year: 2026, month: 3, day: 10) 1"])
        #expect(try await items.calendar.events(in: range("2026-03-11", "2026-03-12")).isEmpty)
    }

    @Test("an update changes its own lines alone, and its inverse restores every byte")
    func update() async throws {
        let items = ItemsInMemory(["personal/a.ics": calendar(series)])
        let store = items.calendar
        let before = await items.lines("personal/a.ics")
        let event = try #require(try await store.events(in: range("2026-03-01", "2026-03-10")).first)
        let change = try await store.update(
            of: event.id, scope: .series,
            with: fields { ($0.title, $0.reminderMinutes) = ("Stand-up 2", 10) })
        try await store.apply(change)
        let after = await items.lines("personal/a.ics")
        let added = Set(after).subtracting(before)
        #expect(
            added == [
                "DTSTAMP:20260301T120000Z", "LAST-MODIFIED:20260301T120000Z", "SUMMARY:Stand-up 2", "TRIGGER:-PT10M",
            ])
        #expect(
            Set(before).subtracting(after) == ["DTSTAMP:20250101T000000Z", "SUMMARY:Stand-up", "TRIGGER:-PT5M"])
        try await store.apply(change.inverse)
        #expect(await items.lines("personal/a.ics") == before)
    }

    @Test("what a single event gets keeps its zone, and a stated duration stays one")
    func single() async throws {
        let items = ItemsInMemory([
            "personal/a.ics": calendar("UID:a\nDTSTART;TZID=America/New_York:20260302T090000\nDURATION:PT1H\nSUMMARY:A")
        ])
        let store = items.calendar
        let id = StoredEvent.ID(item: items.id("personal/a.ics"))
        func move(_ start: String, _ minutes: Double) async throws -> [String] {
            let time = DateInterval(start: ItemsInMemory.date(start), duration: minutes * 60)
            try await store.apply(
                try await store.update(of: id, scope: .occurrence, with: fields { $0.time = .timed(time) }))
            return await items.lines("personal/a.ics").filter { $0.hasPrefix("DT") || $0.hasPrefix("DU") }
        }
        #expect(
            try await move("2026-03-20T15:00:00Z", 60) == [
                "DTSTART;TZID=America/New_York:20260320T110000", "DURATION:PT1H", "DTSTAMP:20260301T120000Z",
            ])
        #expect(
            try await move("2026-03-20T15:00:00Z", 90) == [
                "DTSTART;TZID=America/New_York:20260320T110000", "DTSTAMP:20260301T120000Z",
                "DTEND;TZID=America/New_York:20260320T123000",
            ])
        // Clocks in New York show 1:30 twice on 1 November; the second one needs UTC.
        #expect(try await move("2026-11-01T06:30:00Z", 30).first == "DTSTART:20261101T063000Z")
    }
}
