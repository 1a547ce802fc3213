// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import Testing

@Suite("ReminderItems")
struct ReminderItemsTests {
    private func date(_ text: String) -> Date { ItemsInMemory.date(text) }

    private func toDo(_ lines: String...) -> String {
        let parts = lines.map { "BEGIN:VTODO\nUID:t\n\($0)\nEND:VTODO\n" }.joined()
        return "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Other//EN\n\(parts)END:VCALENDAR\n"
    }

    @Test("a new reminder is open with an alarm at its time, and closed when it is done")
    func lifetime() async throws {
        let items = ItemsInMemory()
        let store = items.reminders
        let due = date("2026-07-01T16:00:00Z")
        try await store.apply(try await store.creation(title: "Water, the plants", body: "all", at: due))
        let lines = await items.lines("personal/new.ics")
        let first = try #require(lines.firstIndex(of: "BEGIN:VTODO"))
        #expect(
            Array(lines[first...]) == [
                "BEGIN:VTODO", "UID:new", "DTSTAMP:20260301T120000Z", "DUE;TZID=Europe/Berlin:20260701T180000",
                "SUMMARY:Water\\, the plants", "STATUS:NEEDS-ACTION", "CREATED:20260301T120000Z", "DESCRIPTION:all",
                "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Water\\, the plants", "TRIGGER;RELATED=END:PT0S",
                "END:VALARM", "END:VTODO", "END:VCALENDAR", "",
            ])
        let open = try await store.openReminders()
        #expect(
            open == [
                StoredReminder(
                    id: .init(item: items.id("personal/new.ics")), title: "Water, the plants", body: "all", due: due)
            ])
        #expect(try await store.nextAlarm(after: ItemsInMemory.now) == ReminderAlarm(reminder: open[0], time: due))
        #expect(try await store.nextAlarm(after: due) == nil)
        #expect(try await store.due(before: due.addingTimeInterval(-1)).isEmpty)
        #expect(try await store.due(before: due) == open)
        let change = try await store.completion(of: open[0].id, at: date("2026-07-01T17:00:00Z"))
        try await store.apply(change)
        #expect(try await store.openReminders().isEmpty)
        for line in ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260701T170000Z"] {
            #expect(await items.lines("personal/new.ics").contains(line))
        }
        await #expect(throws: AssistantError.self) { try await store.completion(of: open[0].id, at: due) }
        try await store.apply(change.inverse)
        #expect(try await store.openReminders() == open)
        await #expect(throws: AssistantError.self) { try await store.creation(title: " ", body: nil, at: due) }
    }

    @Test("open reminders come in the order of their times; events, done ones and broken items are left out")
    func order() async throws {
        let items = ItemsInMemory([
            "a.ics": toDo("SUMMARY:none"), "b.ics": toDo("SUMMARY:day\nDUE;VALUE=DATE:20260303"),
            "c.ics": toDo("SUMMARY:early\nDUE:20260302T080000Z"),
            "d.ics": toDo("SUMMARY:done\nDUE:20260302T080000Z\nCOMPLETED:20260301T000000Z"),
            "e.ics": toDo("SUMMARY:off\nSTATUS:CANCELLED"), "f.ics": "?",
            "g.ics": calendar("UID:g\nDTSTART:20260302T080000Z\nSUMMARY:event"),
        ])
        let open = try await items.reminders.openReminders()
        #expect(open.map(\.title) == ["early", "day", "none"])
        #expect(open.map(\.due) == [date("2026-03-02T08:00:00Z"), date("2026-03-02T23:00:00Z"), nil])
        #expect(open.map(\.isAllDay) == [false, true, false])
    }

    @Test("what is due on a day is told in its morning, also on the day on which clocks change")
    func wholeDays() async throws {
        let items = ItemsInMemory([
            "a.ics": toDo("SUMMARY:a\nDUE;VALUE=DATE:20260328"), "b.ics": toDo("SUMMARY:b\nDUE;VALUE=DATE:20260329"),
            "c.ics": toDo(
                "SUMMARY:c\nDUE;VALUE=DATE:20260330\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:PT7H\nEND:VALARM"),
        ])
        let alarms = try await items.reminders.alarms(in: ItemsInMemory.now..<date("2026-05-01T00:00:00Z"))
        #expect(
            alarms.map { $0.reminder.title + " " + $0.time.ISO8601Format() } == [
                "a 2026-03-28T08:00:00Z", "b 2026-03-29T07:00:00Z", "c 2026-03-30T05:00:00Z",
            ])
    }

    @Test("alarms are relative to start or end in days of the calendar, repeat, and are one at the time without any")
    func alarms() async throws {
        let alarms = """
            DTSTART;TZID=Europe/Berlin:20260329T120000
            DUE;TZID=Europe/Berlin:20260329T180000
            SUMMARY:a
            BEGIN:VALARM
            ACTION:DISPLAY
            TRIGGER:-P1D
            END:VALARM
            BEGIN:VALARM
            ACTION:AUDIO
            TRIGGER;RELATED=END:-PT1H
            REPEAT:2
            DURATION:PT10M
            END:VALARM
            BEGIN:VALARM
            TRIGGER;VALUE=DATE-TIME:20260401T000000Z
            END:VALARM
            """
        let items = ItemsInMemory(["a.ics": toDo(alarms), "b.ics": toDo("SUMMARY:b\nDUE:20260329T151500Z")])
        let store = items.reminders
        let all = try await store.alarms(in: ItemsInMemory.now..<date("2026-05-01T00:00:00Z"))
        #expect(
            all.map { $0.reminder.title + " " + $0.time.ISO8601Format() } == [
                // Clocks change in between, so that a day earlier is 23 hours.
                "a 2026-03-28T11:00:00Z", "a 2026-03-29T15:00:00Z", "a 2026-03-29T15:10:00Z", "b 2026-03-29T15:15:00Z",
                "a 2026-03-29T15:20:00Z", "a 2026-04-01T00:00:00Z",
            ])
        #expect(try await store.nextAlarm(after: all[2].time) == all[3])
    }

    @Test(
        "a reminder that recurs gets its next date when it is done, and is done after the last",
        arguments: [
            ("DUE;TZID=Europe/Berlin:20260323T080000\nRRULE:FREQ=WEEKLY;COUNT=3", ["23T07", "30T06", "06T06"]),
            ("DUE:20260323T080000Z\nRRULE:FREQ=WEEKLY;UNTIL=20260330T080000Z", ["23T08", "30T08"]),
            (
                "DTSTART:20260323T060000Z\nDUE:20260323T080000Z\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20260324T060000Z",
                ["23T08", "25T08"]
            ),
        ])
    func recurring(lines: String, dates: [String]) async throws {
        let items = ItemsInMemory(["a.ics": toDo("SUMMARY:a\nX-KEPT:1\n" + lines)])
        let store = items.reminders
        for date in dates {
            let open = try #require(try await store.openReminders().first)
            #expect(open.due?.ISO8601Format().contains("-\(date)") == true, "\(open)")
            try await store.apply(try await store.completion(of: open.id, at: ItemsInMemory.now))
        }
        #expect(try await store.openReminders().isEmpty)
        let text = await items.lines("a.ics")
        #expect(text.contains("X-KEPT:1"))
        #expect(text.contains("STATUS:COMPLETED"))
    }

    @Test("where another program marks dates one by one, the next open date is shown and marked")
    func overrides() async throws {
        let items = ItemsInMemory([
            "a.ics": toDo(
                "SUMMARY:a\nDUE:20260302T080000Z\nDTSTART:20260302T080000Z\nRRULE:FREQ=DAILY;COUNT=3",
                "SUMMARY:a\nRECURRENCE-ID:20260302T080000Z\nDTSTART:20260302T080000Z\nSTATUS:COMPLETED")
        ])
        let store = items.reminders
        for day in [3, 4] {
            let open = try #require(try await store.openReminders().first)
            #expect(open.due == date("2026-03-0\(day)T08:00:00Z"))
            try await store.apply(try await store.completion(of: open.id, at: ItemsInMemory.now))
        }
        #expect(try await store.openReminders().isEmpty)
    }

    @Test("each to-do of an exported file is a reminder, and one that is done leaves every byte of the others")
    func exported() async throws {
        let items = ItemsInMemory([
            "export.ics": calendar(
                "UID:a\nSUMMARY:Milk\nX-KEPT;a=1:of a\n folded line\nDUE:20260302T080000Z",
                "UID:b\nSUMMARY:Water\nDTSTART:20260303T080000Z\nDUE:20260303T080000Z\nRRULE:FREQ=DAILY",
                "SUMMARY:No UID\nDUE:20260304T080000Z", "SUMMARY:None either\nDUE:20260305T080000Z",
                "UID:c\nSUMMARY:Done\nSTATUS:COMPLETED", name: "VTODO")
                + calendar("UID:d\nSUMMARY:In a second calendar", name: "VTODO")
        ])
        let store = items.reminders
        let titles = ["Milk", "Water", "No UID", "None either", "In a second calendar"]
        let open = try await store.openReminders()
        #expect(open.map(\.title) == titles && Set(open.map(\.id)).count == titles.count)
        #expect(open.first?.id.description == "calendar:export.ics#a")
        for reminder in open where reminder.title != "Water" {
            let before = await items.lines("export.ics")
            let change = try await store.completion(of: reminder.id, at: ItemsInMemory.now)
            try await store.apply(change)
            let after = await items.lines("export.ics")
            let own = ["STATUS:", "PERCENT-COMPLETE:", "COMPLETED:", "SEQUENCE:", "DTSTAMP:", "LAST-MODIFIED:"]
            let added = ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260301T120000Z"]
            let kept = { (lines: [String]) in lines.filter { line in !own.contains { line.hasPrefix($0) } } }
            #expect(kept(after) == kept(before))
            #expect(added.allSatisfy { line in after.count { $0 == line } == before.count { $0 == line } + 1 })
        }
        let water = try #require(try await store.openReminders().first)
        #expect(try await store.openReminders().map(\.title) == ["Water"])
        try await store.apply(try await store.completion(of: water.id, at: ItemsInMemory.now))
        #expect(try await store.openReminders().map(\.due) == [date("2026-03-04T08:00:00Z")])
        await #expect(throws: AssistantError.self) {
            try await store.completion(of: open[0].id, at: ItemsInMemory.now)
        }
    }

    @Test("of a daily series with hundreds of dates that are done, the next open one is shown")
    func manyOverrides() async throws {
        let first = try #require(CivilDate(year: 2023, month: 1, day: 1))
        let done = (0..<900).map { number in
            let time = CalendarTime.utc(CivilTime(midnightOf: first + number)).text
            return "BEGIN:VTODO\nUID:t\nRECURRENCE-ID:\(time)\nDTSTART:\(time)\nSTATUS:COMPLETED\nEND:VTODO\n"
        }.joined()
        let series = toDo("SUMMARY:a\nDTSTART:20230101T000000Z\nDUE:20230101T000000Z\nRRULE:FREQ=DAILY")
        let items = ItemsInMemory(["a.ics": series.replacing("END:VCALENDAR", with: done + "END:VCALENDAR")])
        let open = try await items.reminders.openReminders()
        #expect(open.map(\.due) == [Date(timeIntervalSince1970: Double((first + 900).dayNumber) * 86_400)])
    }
}
