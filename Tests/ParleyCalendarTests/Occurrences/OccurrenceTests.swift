// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Testing

@Suite("Occurrences")
struct OccurrenceTests {
    @Test("Behind DTEND the length is exact, behind DURATION days are nominal, over a change of the clocks too")
    func lengths() throws {
        let start = "DTSTART;TZID=Europe/Berlin:20260327T220000"
        let exact = try Calendars.events("\(start)\nDTEND;TZID=Europe/Berlin:20260328T220000\nRRULE:FREQ=DAILY;COUNT=2")
        #expect(try Calendars.found(exact, "20260301", "20260401") == ["0327T2100 0328T2100", "0328T2100 0329T2100"])
        let nominal = try Calendars.events("\(start)\nDURATION:P1D\nRRULE:FREQ=DAILY;COUNT=2")
        #expect(try Calendars.found(nominal, "20260301", "20260401") == ["0327T2100 0328T2100", "0328T2100 0329T2000"])
        let hours = try Calendars.events("\(start)\nDURATION:PT24H\nRRULE:FREQ=DAILY;COUNT=2")
        #expect(try Calendars.found(hours, "20260301", "20260401") == ["0327T2100 0328T2100", "0328T2100 0329T2100"])
    }

    @Test("Times stay the same on the clock; one in a gap moves, and is there once")
    func changesOfClocks() throws {
        let daily = try Calendars.events("DTSTART;TZID=Europe/Berlin:20260328T023000\nRRULE:FREQ=DAILY;COUNT=3")
        #expect(
            try Calendars.found(daily, "20260301", "20260401") == [
                "0328T0130 0328T0130", "0329T0130 0329T0130", "0330T0030 0330T0030",
            ])
        let hourly = try Calendars.events("DTSTART;TZID=Europe/Berlin:20260329T013000\nRRULE:FREQ=HOURLY;COUNT=3")
        #expect(try Calendars.found(hourly, "20260301", "20260401") == ["0329T0030 0329T0030", "0329T0130 0329T0130"])
    }

    @Test("Whole days and floating times are where one is")
    func local() throws {
        let day = try Calendars.events("DTSTART;VALUE=DATE:20260329\nRRULE:FREQ=DAILY;COUNT=2")
        #expect(
            try Calendars.found(day, "20260301", "20260401", local: "Europe/Berlin") == [
                "0328T2300 0329T2200", "0329T2200 0330T2200",
            ])
        #expect(
            try Calendars.found(day, "20260301", "20260401", local: "Asia/Tokyo") == [
                "0328T1500 0329T1500", "0329T1500 0330T1500",
            ])
        let floating = try Calendars.events("DTSTART:20260329T010000\nDTEND:20260329T040000")
        #expect(
            try Calendars.found(floating, "20260301", "20260401", local: "Europe/Berlin") == ["0329T0000 0329T0200"])
    }

    @Test("The range holds what touches it; its end and moments at its end are outside")
    func range() throws {
        let hour = try Calendars.events("DTSTART:20260101T100000Z\nDTEND:20260101T110000Z")
        let moment = try Calendars.events("DTSTART:20260101T100000Z")
        func count(_ calendar: CalendarObject, _ first: String, _ last: String) throws -> Int {
            try Calendars.found(calendar, "20260101T\(first)Z", "20260101T\(last)Z").count
        }
        #expect(try count(hour, "090000", "100000") == 0)
        #expect(try count(hour, "090000", "100001") == 1)
        #expect(try count(hour, "105959", "120000") == 1)
        #expect(try count(hour, "110000", "120000") == 0)
        #expect(try count(hour, "103000", "103000") == 1)
        #expect(try count(moment, "100000", "100001") == 1)
        #expect(try count(moment, "100000", "100000") == 1)
        #expect(try count(moment, "090000", "100000") == 0)
    }

    @Test("Exceptions take away, further dates and periods add, each time once")
    func exceptions() throws {
        let calendar = try Calendars.events(
            """
            DTSTART;TZID=Europe/Berlin:20260101T100000
            DTEND;TZID=Europe/Berlin:20260101T110000
            RRULE:FREQ=DAILY;COUNT=5
            EXDATE:20260102T090000Z
            EXDATE;VALUE=DATE:20260104
            RDATE;TZID=Europe/Berlin:20260103T100000,20260110T080000
            RDATE;VALUE=PERIOD:20260111T090000Z/PT3H
            """)
        #expect(
            try Calendars.found(calendar, "20260101", "20260201") == [
                "0101T0900 0101T1000", "0103T0900 0103T1000", "0105T0900 0105T1000", "0110T0700 0110T0800",
                "0111T0900 0111T1200",
            ])
    }

    @Test("An exception means an instant, not what another clock shows at another")
    func exceptionInstant() throws {
        let calendar = try Calendars.events(
            "DTSTART;TZID=Europe/Berlin:20260101T090000\nRRULE:FREQ=HOURLY;COUNT=3\nEXDATE:20260101T090000Z")
        #expect(
            try Calendars.found(calendar, "20260101", "20260201") == ["0101T0800 0101T0800", "0101T1000 0101T1000"])
    }

    @Test("Overrides take the place of one, or of all from one on, also where they move into the range")
    func overrides() throws {
        let calendar = try Calendars.events(
            "DTSTART:20260101T100000Z\nDURATION:PT1H\nSUMMARY:a\nRRULE:FREQ=DAILY;COUNT=6",
            "RECURRENCE-ID:20260102T100000Z\nDTSTART:20260120T120000Z\nSUMMARY:b",
            "RECURRENCE-ID;RANGE=THISANDFUTURE:20260104T100000Z\nDTSTART:20260104T120000Z\nDURATION:PT2H\nSUMMARY:c")
        #expect(
            try Calendars.found(calendar, "20260101", "20260201") == [
                "0101T1000 0101T1100 a", "0103T1000 0103T1100 a", "0104T1200 0104T1400 c", "0105T1200 0105T1400 c",
                "0106T1200 0106T1400 c", "0120T1200 0120T1200 b",
            ])
        #expect(try Calendars.found(calendar, "20260120", "20260121") == ["0120T1200 0120T1200 b"])
        #expect(
            try Calendars.occurrences(calendar, "20260105", "20260106").map(\.recurrenceID.text) == ["20260105T100000Z"]
        )
    }

    @Test("Of several overrides of all later dates, the last one before a date counts for it")
    func laterOverrides() throws {
        let calendar = try Calendars.events(
            "DTSTART:20260101T100000Z\nDURATION:PT1H\nSUMMARY:a\nRRULE:FREQ=DAILY;COUNT=7",
            "RECURRENCE-ID;RANGE=THISANDFUTURE:20260105T100000Z\nDTSTART:20260105T140000Z\nDURATION:PT1H\nSUMMARY:c",
            "RECURRENCE-ID;RANGE=THISANDFUTURE:20260102T100000Z\nDTSTART:20260102T120000Z\nDURATION:PT1H\nSUMMARY:b",
            "RECURRENCE-ID:20260106T100000Z\nDTSTART:20260106T080000Z\nDURATION:PT1H\nSUMMARY:d")
        #expect(
            try Calendars.found(calendar, "20260101", "20260201") == [
                "0101T1000 0101T1100 a", "0102T1200 0102T1300 b", "0103T1200 0103T1300 b", "0104T1200 0104T1300 b",
                "0105T1400 0105T1500 c", "0106T0800 0106T0900 d", "0107T1400 0107T1500 c",
            ])
        #expect(
            try Calendars.found(calendar, "20260104", "20260106") == ["0104T1200 0104T1300 b", "0105T1400 0105T1500 c"])
    }

    @Test("UNTIL holds the last one, and a day holds all of its times")
    func until() throws {
        func count(_ until: String) throws -> Int {
            try Calendars.found(
                Calendars.events("DTSTART;TZID=Europe/Berlin:20260101T100000\nRRULE:FREQ=DAILY;UNTIL=\(until)"),
                "20260101", "20260201"
            ).count
        }
        #expect(try count("20260103T090000Z") == 3)
        #expect(try count("20260103T085959Z") == 2)
        #expect(try count("20260103") == 3)
        #expect(try count("20260103T100000") == 3)
        #expect(try count("20251231T100000Z") == 0)
    }

    @Test("A rule that is not understood leaves its start, and the rest of the calendar")
    func problems() throws {
        let calendar = try Calendars.events("DTSTART:20260101T100000Z\nRRULE:FREQ=FORTNIGHTLY\nRDATE:20260103T100000Z")
        let range = DateInterval(start: Date(timeIntervalSince1970: 1_767_225_600), duration: 86_400 * 31)
        let list = try calendar.occurrences(of: CalendarEvent.self, in: range, local: .gmt)
        #expect(list.occurrences.count == 2)
        #expect(list.problems["series"]?.code == .invalidRule)
    }

    @Test("Work is bounded: too many occurrences are an error, a rule that counts too far a problem")
    func bounds() throws {
        let range = DateInterval(start: Date(timeIntervalSince1970: 1_767_225_600), duration: 86_400 * 31)
        let busy = try Calendars.events("DTSTART:20260101T100000Z\nRRULE:FREQ=SECONDLY")
        let error = #expect(throws: CalendarError.self) {
            try busy.occurrences(of: CalendarEvent.self, in: range, local: .gmt)
        }
        #expect(error?.code == .tooManyOccurrences)
        let old = try Calendars.events("DTSTART:19000101T100000Z\nRRULE:FREQ=SECONDLY;COUNT=1000000000")
        var limits = OccurrenceLimits()
        limits.times = 1000
        let list = try old.occurrences(of: CalendarEvent.self, in: range, local: .gmt, limits: limits)
        #expect(list.problems["series"]?.code == .tooManyOccurrences)
    }

    @Test("Rules without times take no more than the limits, however many there are in an event or a calendar")
    func barren() throws {
        let range = DateInterval(start: Date(timeIntervalSince1970: 1_767_225_600), duration: 86_400 * 31)
        let rule = "\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"
        var limits = OccurrenceLimits()
        limits.times = 200_000
        func find(_ calendar: CalendarObject) throws -> OccurrenceList<CalendarEvent> {
            try calendar.occurrences(of: CalendarEvent.self, in: range, local: .gmt, limits: limits)
        }
        let one = try find(Calendars.events("DTSTART:20260101T100000Z" + rule))
        #expect(one.occurrences.count == 1 && one.problems.isEmpty)
        let two = try find(Calendars.events("DTSTART:20260101T100000Z" + rule + rule))
        #expect(two.occurrences.count == 1 && two.problems["series"]?.code == .tooManyOccurrences)
        limits.allTimes = 200_000
        let events = ["a", "b", "c"].map { "BEGIN:VEVENT\nUID:\($0)\nDTSTART:20260101T100000Z\(rule)\nEND:VEVENT\n" }
        let text = "BEGIN:VCALENDAR\n" + events.joined() + "END:VCALENDAR\n"
        let many = try find(CalendarObject(reading: Array(text.utf8)))
        #expect(many.occurrences.count == 3 && Set(many.problems.keys) == ["b", "c"])
    }

    @Test("The times of day that a rule names count, also where none of its days is in the range")
    func secondsOfADay() throws {
        func numbers(_ count: Int) -> String { (0..<count).map(String.init).joined(separator: ",") }
        let times = "BYHOUR=\(numbers(24));BYMINUTE=\(numbers(60));BYSECOND=\(numbers(60))"
        let rule = "\nRRULE:FREQ=DAILY;UNTIL=20250101T000000Z;" + times
        let range = DateInterval(start: Date(timeIntervalSince1970: 1_767_225_600), duration: 86_400 * 31)
        var limits = OccurrenceLimits()
        limits.times = 200_000
        func problem(_ rules: Int) throws -> CalendarError.Code? {
            let event = "DTSTART:20260101T000000Z" + String(repeating: rule, count: rules)
            let list = try Calendars.events(event)
                .occurrences(of: CalendarEvent.self, in: range, local: .gmt, limits: limits)
            return list.problems["series"]?.code
        }
        #expect(try problem(2) == nil)
        #expect(try problem(3) == .tooManyOccurrences)
    }

    @Test("To-dos are where they are due; those without a time are nowhere")
    func toDos() throws {
        let text = """
            BEGIN:VCALENDAR
            BEGIN:VTODO
            UID:a
            DUE:20260102T100000Z
            RRULE:FREQ=WEEKLY;COUNT=2
            END:VTODO
            BEGIN:VTODO
            UID:b
            SUMMARY:some day
            END:VTODO
            END:VCALENDAR

            """
        let calendar = try CalendarObject(reading: Array(text.utf8))
        let range = DateInterval(start: Date(timeIntervalSince1970: 1_767_225_600), duration: 86_400 * 31)
        let list = try calendar.occurrences(of: CalendarToDo.self, in: range, local: .gmt)
        #expect(list.occurrences.map(\.start.text) == ["20260102T100000Z", "20260109T100000Z"])
    }
}
