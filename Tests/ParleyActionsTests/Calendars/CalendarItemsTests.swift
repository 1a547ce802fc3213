// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyConversation
import ParleyTestSupport
import Testing

@Suite("CalendarItems")
struct CalendarItemsTests {
    private let series = """
        UID:weekly
        DTSTAMP:20250101T000000Z
        X-KEPT;a="b;c":some value that another program wrote and fol
         ded elsewhere
        DTSTART;TZID=Europe/Berlin:20260302T090000
        DTEND;TZID=Europe/Berlin:20260302T093000
        SUMMARY:Stand-up
        RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260429T070000Z
        EXDATE;TZID=Europe/Berlin:20260304T090000
        BEGIN:VALARM
        ACTION:DISPLAY
        TRIGGER:-PT5M
        X-ALARM:kept
        END:VALARM
        """

    private func range(_ from: String, _ to: String) -> DateInterval {
        DateInterval(
            start: ItemsInMemory.date(from + "T00:00:00Z"), end: ItemsInMemory.date(to + "T00:00:00Z"))
    }

    private func fields(_ set: (inout EventFields) -> Void) -> EventFields {
        var fields = EventFields()
        set(&fields)
        return fields
    }

    private func times(_ events: [StoredEvent]) -> [String] {
        events.map { event in
            switch event.time {
            case .timed(let interval): interval.start.ISO8601Format() + " \(Int(interval.duration / 60))"
            case .allDay(let days): "\(days.lowerBound.parts) \(days.count)"
            }
        }
    }

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

    @Test("an item of several events, as programs export them, has an identifier for each")
    func exported() async throws {
        let items = ItemsInMemory([
            "all.ics": calendar(
                "UID:a b\nDTSTART:20260302T090000Z\nSUMMARY:A", "UID:c\nDTSTART:20260302T100000Z\nSUMMARY:C",
                "UID:d\nDTSTART;TZID=\"My Zone: 1\":20260302T120000\nRRULE:FREQ=DAILY\nSUMMARY:D")
        ])
        let store = items.calendar
        let found = try await store.events(in: range("2026-03-02", "2026-03-04"))
        #expect(found.map(\.title) == ["A", "C", "D", "D"])
        #expect(Set(found.map(\.id)).count == 4)
        for event in found { #expect(try await store.event(event.id) == event) }
        try await store.apply(try await store.deletion(of: found[1].id, scope: .series))
        #expect(try await store.events(in: range("2026-03-02", "2026-03-04")).map(\.title) == ["A", "D", "D"])
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

    @Test("in a file of several events each is found, clashes with the others, and is moved itself")
    func severalEvents() async throws {
        let items = ItemsInMemory([
            "export.ics": calendar(
                "UID:a\nDTSTART:20260303T090000Z\nDTEND:20260303T100000Z\nSUMMARY:Dentist",
                "UID:b\nDTSTART:20260305T090000Z\nDTEND:20260305T100000Z\nSUMMARY:Dentist again")
        ])
        let stores = AssistantStores(calendar: items.calendar)
        let context = DateContext(
            now: ItemsInMemory.now, timeZone: ItemsInMemory.berlin, locale: Locale(identifier: "en_DE"))
        let time = DateInterval(start: ItemsInMemory.date("2026-03-05T09:00:00Z"), duration: 3600)
        let plan = try await ActionPlanner(stores: stores, context: context)
            .plan(.calendar(.reschedule(identifier: "dentist", .timed(time))))
        #expect(plan.items.map(\.title) == ["Dentist"])
        #expect(plan.alternatives.map(\.title) == ["Dentist again"])
        #expect(plan.conflicts.map(\.title) == ["Dentist again"])

        let directory = try TemporaryDirectory()
        let log = try ActionLog(at: directory.url.appending(path: "actions.jsonl"))
        let runner = await ActionRunner(stores: stores, log: log) { context }
        let block = #"[CALENDAR_ACTION:{"action":"update","search":"again","start":"2026-03-03 10:00"}]"#
        let reply = FinishedReply(chat: "c", message: "m", text: block, finish: .stop, readsUntrusted: false)
        let card = try #require(await runner.run(reply).cards.first)
        #expect(card.plan.conflicts.map(\.title) == ["Dentist"])
        _ = await runner.handle(.confirm, of: card.id)
        let moved = try #require(await runner.handle(.reschedule(0), of: card.id).card)
        #expect(moved.confirmation?.state == .rescheduled)
        let events = try await items.calendar.events(in: range("2026-03-01", "2026-03-10"))
        #expect(events.map(\.title) == ["Dentist", "Dentist again"])
        #expect(times(events) == ["2026-03-03T09:00:00Z 60", "2026-03-03T10:00:00Z 60"])
    }

    @Test("a series that clashes moves to a free time with all its dates, and no other series of the file")
    func severalSeries() async throws {
        let items = ItemsInMemory([
            "export.ics": calendar(
                "UID:a\nDTSTART:20260202T090000Z\nDTEND:20260202T100000Z\nRRULE:FREQ=WEEKLY\nSUMMARY:Yoga on Mondays",
                "UID:b\nDTSTART:20260206T090000Z\nDTEND:20260206T100000Z\nRRULE:FREQ=WEEKLY\nSUMMARY:Yoga",
                "UID:c\nDTSTART:20260306T120000Z\nDTEND:20260306T130000Z\nSUMMARY:Lunch")
        ])
        let stores = AssistantStores(calendar: items.calendar)
        let context = DateContext(
            now: ItemsInMemory.date("2026-03-05T08:00:00Z"), timeZone: ItemsInMemory.berlin,
            locale: Locale(identifier: "en_DE"))
        let directory = try TemporaryDirectory()
        let log = try ActionLog(at: directory.url.appending(path: "actions.jsonl"))
        let runner = await ActionRunner(stores: stores, log: log) { context }
        let block = #"[CALENDAR_ACTION:{"action":"update","search":"yoga","start":"2026-03-06 13:00"}]"#
        let reply = FinishedReply(chat: "c", message: "m", text: block, finish: .stop, readsUntrusted: false)
        let card = try #require(await runner.run(reply).cards.first)
        #expect(card.plan.items.map(\.title) == ["Yoga"])
        #expect(card.plan.alternatives.map(\.title) == ["Yoga on Mondays"])
        _ = await runner.handle(.scope(.series), of: card.id)
        let whole = try #require(await runner.handle(.confirm, of: card.id).card)
        #expect(whole.plan.conflicts.map(\.title) == ["Lunch"])
        let moved = try #require(await runner.handle(.reschedule(0), of: card.id).card)
        #expect(moved.confirmation?.state == .rescheduled && moved.failure == nil)
        let slot = try #require(whole.plan.freeSlots.first).start.ISO8601Format().dropFirst(10)
        let events = try await items.calendar.events(in: range("2026-02-01", "2026-03-14"))
        #expect(
            times(events.filter { $0.title == "Yoga" })
                == ["02-06", "02-13", "02-20", "02-27", "03-06", "03-13"].map { "2026-\($0)\(slot) 60" })
        #expect(
            times(events.filter { $0.title == "Yoga on Mondays" })
                == ["02-02", "02-09", "02-16", "02-23", "03-02", "03-09"].map { "2026-\($0)T09:00:00Z 60" })
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
