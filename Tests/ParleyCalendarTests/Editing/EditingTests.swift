// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Testing

@Suite("Changing calendars")
struct EditingTests {
    private let now = CivilTime(seconds: 1_770_000_000)
    private let series = """
        X-BEFORE;a=b:kept
        DTSTAMP:20250101T000000Z
        DTSTART;TZID=Europe/Berlin:20260326T100000
        DTEND;TZID=Europe/Berlin:20260326T113000
        SUMMARY:a very long title that some other program has written in a way that is
         folded elsewhere
        RRULE:FREQ=DAILY;COUNT=6
        X-AFTER:kept
        """

    private func lines(_ calendar: CalendarObject) -> [String] {
        calendar.bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("An update touches its own lines, and SEQUENCE only where others must know", arguments: ["\r\n", "\n"])
    func update(_ lineEnd: String) throws {
        var calendar = try Calendars.events(series, lineEnd: lineEnd)
        let before = lines(calendar)
        try calendar.update(calendar.events[0], now: now) { $0.details = "new" }
        var after = lines(calendar)
        let end = lineEnd == "\n" ? "" : "\r"
        #expect(after.contains("DTSTAMP:20260202T024000Z\(end)"))
        #expect(after.contains("LAST-MODIFIED:20260202T024000Z\(end)"))
        #expect(calendar.events[0].sequence == 0)
        after.removeAll { $0.hasPrefix("LAST-MODIFIED") || $0.hasPrefix("DESCRIPTION") || $0.hasPrefix("DTSTAMP") }
        #expect(after == before.filter { !$0.hasPrefix("DTSTAMP") })
        try calendar.update(calendar.events[0], now: now) { $0.start = $0.start.map { $0.with(CivilTime(seconds: 0)) } }
        #expect(calendar.events[0].sequence == 1)
    }

    @Test("What changes nothing writes nothing; what is not there is told")
    func nothing() throws {
        var calendar = try Calendars.events(series)
        let before = calendar.bytes
        try calendar.update(calendar.events[0], now: now) { $0.location = nil }
        #expect(calendar.bytes == before)
        var stale = calendar.events[0]
        stale.summary = "other"
        #expect(throws: CalendarError.self) { try calendar.update(stale, now: now) { $0.summary = "x" } }
    }

    @Test("One occurrence is overridden; again, the override is changed")
    func override() throws {
        var calendar = try Calendars.events(series)
        let before = String(decoding: calendar.events[0].component.bytes, as: UTF8.self)
        let day = try #require(try Calendars.occurrences(calendar, "20260329", "20260330").first)
        try calendar.override(day, now: now) { $0.summary = "b" }
        #expect(String(decoding: calendar.events[0].component.bytes, as: UTF8.self) == before)
        let override = calendar.events[1]
        #expect(override.recurrenceID == day.recurrenceID)
        #expect(override.start?.text == "20260329T100000")
        #expect(override.end?.text == "20260329T113000")
        #expect(!override.recurs)
        let changed = try #require(try Calendars.occurrences(calendar, "20260329", "20260330").first)
        try calendar.override(changed, now: now) { $0.summary = "c" }
        #expect(calendar.events.count == 2)
        #expect(try Calendars.found(calendar, "20260329", "20260331").map { $0.suffix(2) } == [" c", "re"])
    }

    @Test("An override in a zone that the calendar does not define brings the definition along")
    func overrideZone() throws {
        var calendar = try Calendars.events("DTSTART;VALUE=DATE:20260326\nRRULE:FREQ=DAILY;COUNT=6")
        let day = try #require(try Calendars.occurrences(calendar, "20260329", "20260330").first)
        try calendar.override(day, now: now) { $0.start = CalendarTime("20260329T150000", zone: "Europe/Berlin") }
        #expect(calendar.component.components("VTIMEZONE").map { $0["TZID"]?.value } == ["Europe/Berlin"])
        #expect(calendar.events.map { $0.start?.text } == ["20260326", "20260329T150000"])
    }

    @Test(
        "A SEQUENCE that no 32-bit integer holds, or below zero, counts as the nearest that may be",
        arguments: [("9223372036854775807", 2_147_483_647), ("-5", 1)])
    func sequence(_ written: String, _ expected: Int) throws {
        var calendar = try Calendars.events(series + "\nSEQUENCE:\(written)")
        try calendar.update(calendar.events[0], now: now) { $0.location = "Here" }
        #expect(calendar.events[0].sequence == expected)
        #expect(lines(calendar).contains("SEQUENCE:\(expected)\r"))
    }

    @Test("An override is found again though its series names a zone with control characters")
    func controlCharacter() throws {
        var calendar = try Calendars.events(series.replacingOccurrences(of: "Europe/Berlin", with: "He\u{1}re\u{7F}"))
        let day = try #require(try Calendars.occurrences(calendar, "20260329", "20260330").first)
        try calendar.override(day, now: now) { $0.summary = "b" }
        let read = try CalendarObject(reading: calendar.bytes)
        #expect(read.events[1].recurrenceID == day.recurrenceID)
        #expect(try Calendars.occurrences(read, "20260329", "20260330").map(\.item.summary) == ["b"])
    }

    @Test("One occurrence is removed by an exception, with its override")
    func removeOne() throws {
        var calendar = try Calendars.events(series)
        var day = try #require(try Calendars.occurrences(calendar, "20260328", "20260329").first)
        try calendar.override(day, now: now) {
            $0.start = $0.start.map { $0.with(CivilTime(seconds: $0.civil.seconds + 3600)) }
        }
        day = try #require(try Calendars.occurrences(calendar, "20260328", "20260329").first)
        try calendar.remove(day, now: now)
        #expect(calendar.events.count == 1)
        #expect(calendar.events[0].sequence == 1)
        #expect(
            String(decoding: calendar.bytes, as: UTF8.self).contains(
                "\r\nEXDATE;TZID=Europe/Berlin:20260328T100000\r\n"))
        #expect(try Calendars.found(calendar, "20260101", "20270101").count == 5)
    }

    @Test("What does not recur is removed whole, and a series with its overrides")
    func removeAll() throws {
        var single = try Calendars.events("DTSTART:20260101T100000Z")
        try single.remove(try #require(try Calendars.occurrences(single, "20260101", "20260102").first), now: now)
        #expect(single.events.isEmpty)
        var calendar = try Calendars.events(series, "RECURRENCE-ID:20260327T090000Z\nDTSTART:20260327T090000Z")
        calendar.remove(calendar.events[0])
        #expect(calendar.events.isEmpty)
    }

    @Test("Of several versions of an event the latest counts, and is removed with the others")
    func versions() throws {
        let (old, new) = ("DTSTART:20260101T100000Z\nSUMMARY:old", "DTSTART:20260101T120000Z\nSUMMARY:new\nSEQUENCE:1")
        for calendar in [
            try Calendars.events(old, new), try Calendars.events(new, old), try Calendars.events(new, old, new),
        ] {
            var calendar = calendar
            let all = try Calendars.occurrences(calendar, "20260101", "20260102")
            #expect(all.map(\.item.summary) == ["new"])
            try calendar.remove(try #require(all.first), now: now)
            #expect(calendar.events.isEmpty)
        }
        // Another event that only has the same UID is not removed unseen.
        var shared = try Calendars.events(new, "DTSTART:20260105T100000Z\nSUMMARY:other\nSEQUENCE:1")
        try shared.remove(try #require(try Calendars.occurrences(shared, "20260101", "20260102").first), now: now)
        #expect(shared.events.map(\.summary) == ["other"])
        let rule = "\nRRULE:FREQ=DAILY;COUNT=3"
        var series = try Calendars.events(old + rule, new + rule)
        try series.remove(try #require(try Calendars.occurrences(series, "20260102", "20260103").first), now: now)
        #expect(
            try Calendars.found(series, "20260101", "20260201") == [
                "0101T1200 0101T1200 new", "0103T1200 0103T1200 new",
            ])
    }

    @Test("A version of an event that cannot be read does not hide one that can, and is removed with it")
    func unreadableVersion() throws {
        let (old, new) = ("DTSTART:20260101T100000Z\nSUMMARY:old", "DTSTART:tomorrow\nSUMMARY:new\nSEQUENCE:1")
        for calendar in [try Calendars.events(old, new), try Calendars.events(new, old)] {
            var calendar = calendar
            let all = try Calendars.occurrences(calendar, "20260101", "20260102")
            #expect(all.map(\.item.summary) == ["old"])
            try calendar.remove(try #require(all.first), now: now)
            #expect(calendar.events.isEmpty)
        }
    }

    @Test(
        "A split series has the same occurrences, half of them by another UID",
        arguments: [
            "DTSTART;TZID=Europe/Berlin:20260326T100000\nDTEND;TZID=Europe/Berlin:20260326T113000\nRRULE:FREQ=DAILY;COUNT=9",
            "DTSTART;VALUE=DATE:20260326\nRRULE:FREQ=DAILY;UNTIL=20260403",
            "DTSTART:20260326T100000\nDURATION:PT1H\nRRULE:FREQ=DAILY;INTERVAL=2\nEXDATE:20260328T100000,20260407T100000",
            "DTSTART:20260326T100000Z\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH\nRDATE:20260327T100000Z,20260415T080000Z",
        ])
    func split(_ text: String) throws {
        var calendar = try Calendars.events(text)
        let before = try Calendars.found(calendar, "20260301", "20260501")
        let all = try Calendars.occurrences(calendar, "20260301", "20260501")
        let place = try #require(all.firstIndex { $0.start.text >= "20260330" })
        let id = all[place + 1].recurrenceID
        let zone =
            id.isDate ? ";VALUE=DATE" : id.text.hasSuffix("Z") || text.contains("DTSTART:") ? "" : ";TZID=Europe/Berlin"
        calendar = try Calendars.events(text, "RECURRENCE-ID\(zone):\(id.text)\nDTSTART\(zone):\(id.text)\nSUMMARY:x")
        let changed = try Calendars.found(calendar, "20260301", "20260501")
        let tail = try calendar.split(at: all[place], uid: "second", now: now)
        #expect(tail.uid == "second")
        #expect(try Calendars.found(calendar, "20260301", "20260501") == changed)
        #expect(changed.count == before.count)
        let parts = try Calendars.occurrences(calendar, "20260301", "20260501").map(\.item.uid)
        #expect(
            parts == Array(repeating: "series", count: place) + Array(repeating: "second", count: all.count - place))
        #expect(throws: CalendarError.self) { try calendar.split(at: all[0], uid: "third", now: now) }
    }
}
