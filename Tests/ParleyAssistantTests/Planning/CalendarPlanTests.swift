// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import ParleyJSON
import Testing

@Suite("The plan of an action on the calendar")
struct CalendarPlanTests {
    @Test(
        "an event that is moved to another day keeps its time of the day and its length",
        arguments: ["Friday", "on Friday", "2026-11-20"])
    func movedDay(words: String) async throws {
        let bench = try await Bench()
        try bench.add("Dentist", 0, 15, 16)
        let card = try await bench.card(.calendar, #"{"action":"update","search":"Dentist","start":"\#(words)"}"#)
        #expect(card.plan.outcome?.time == .timed(try bench.interval(2, 15, 16)))
        _ = try await bench.handle(.confirm, card)
        #expect(try await bench.events().map(\.time) == [.timed(try bench.interval(2, 15, 16))])
    }

    @Test("an event becomes one of whole days where that is said")
    func wholeDay() async throws {
        let bench = try await Bench()
        try bench.add("Dentist", 0, 15, 16)
        let card = try await bench.card(
            .calendar, #"{"action":"update","search":"Dentist","start":"Friday","isAllDay":true}"#)
        let day = bench.context.clock.day(of: bench.context.now) + 2
        #expect(card.plan.outcome?.time == .allDay(day...day))
        // A new event of a day without a time lasts the whole day.
        let created = try await bench.card(
            .calendar, #"{"action":"create","title":"Fair","start":"Friday"}"#, message: "m2")
        #expect(created.plan.outcome?.time == .allDay(day...day))
    }

    @Test(
        "a time without a day is one of the event's day, also where its end is said",
        arguments: [
            #""start":"16:00","end":"18:00""#, #""start":"16:00","end":"for two hours""#,
            #""start":"from 16:00 to 18:00""#,
        ])
    func timeOfDay(fields: String) async throws {
        let bench = try await Bench()
        let id = try bench.add("Dentist", 5, 10, 11)
        for name in [#""update","search":"Dentist""#, #""reschedule","eventIdentifier":"\#(id)""#] {
            let card = try await bench.card(.calendar, #"{"action":\#(name),\#(fields)}"#, message: name)
            #expect(card.plan.outcome?.time == .timed(try bench.interval(5, 16, 18)), "\(name) \(card.failure ?? "")")
            // That they would mean today by themselves is not told.
            let said = card.json(in: bench.context)["said"]?.array?.compactMap { $0["words"]?.string } ?? []
            #expect(!said.contains { $0.contains("16:00") })
        }
    }

    @Test(
        "the hours of half a day are those around the day of the event, not those around now",
        arguments: [
            #""start":"at 9","end":"at 11""#, #""start":"from 9 to 11""#,
        ])
    func hours(fields: String) async throws {
        let bench = try await Bench()
        try bench.add("Dentist", 5, 10, 12)
        let card = try await bench.card(.calendar, #"{"action":"update","search":"Dentist",\#(fields)}"#)
        #expect(card.plan.outcome?.time == .timed(try bench.interval(5, 9, 11)), "\(card.failure ?? "")")
    }

    @Test("a time without a day says nothing of the days of an event that comes to last all of them")
    func wholeDayWithTimes() async throws {
        let bench = try await Bench()
        let day = bench.context.clock.day(of: bench.context.now) + 5
        for (number, fields) in [#""end":"18:00""#, #""start":"16:00","end":"18:00""#].enumerated() {
            try bench.add("Dentist \(number)", 5, 10, 12)
            let card = try await bench.card(
                .calendar, #"{"action":"update","search":"Dentist \#(number)",\#(fields),"isAllDay":true}"#,
                message: fields)
            #expect(card.plan.outcome?.time == .allDay(day...day), "\(fields) \(card.failure ?? "")")
        }
    }

    @Test("a time of the night without a day ends on the day after that of the event")
    func night() async throws {
        let bench = try await Bench()
        try bench.add("Party", 5, 18, 20)
        let card = try await bench.card(
            .calendar, #"{"action":"update","search":"Party","start":"22:00","end":"02:00"}"#)
        let time = DateInterval(start: try bench.time(5, 22), end: try bench.time(6, 2))
        #expect(card.plan.outcome?.time == .timed(time))
    }

    @Test("an event that is named by its identifier keeps what is not said of its time")
    func rescheduled() async throws {
        let bench = try await Bench()
        let id = try bench.add("Dentist", 0, 15, 16)
        for (start, time) in [
            ("Friday", try bench.interval(2, 15, 16)), ("Friday at 10:00", try bench.interval(2, 10, 11)),
        ] {
            let card = try await bench.card(
                .calendar, #"{"action":"reschedule","eventIdentifier":"\#(id)","start":"\#(start)"}"#, message: start)
            #expect(card.plan.outcome?.time == .timed(time), "\(start) \(card.failure ?? "")")
        }
    }

    @Test("an event of whole days keeps their number, or ends on the day that is said")
    func wholeDays() async throws {
        let bench = try await Bench()
        let today = bench.context.clock.day(of: bench.context.now)
        try bench.calendar.add(MemoryCalendar.Event(title: "Holiday", time: .allDay(today + 5...today + 9)))
        for (fields, days) in [
            (#""start":"2026-12-01","isAllDay":true"#, 13...17), (#""start":"2026-12-01""#, 13...17),
            (#""end":"2026-11-29""#, 5...11), (#""end":"2026-11-29","isAllDay":true"#, 5...11),
            (#""start":"2026-12-01","end":"2026-12-02""#, 13...14), (#""location":"Rome","isAllDay":true"#, 5...9),
        ] as [(String, ClosedRange<Int>)] {
            let card = try await bench.card(
                .calendar, #"{"action":"update","search":"Holiday",\#(fields)}"#, message: fields)
            let time = EventTime.allDay(today + days.lowerBound...today + days.upperBound)
            #expect(card.plan.outcome?.time == time, "\(fields) \(card.failure ?? "")")
        }
        let fair = DateInterval(start: try bench.time(5, 9), end: try bench.time(7, 17))
        try bench.calendar.add(MemoryCalendar.Event(title: "Fair", time: .timed(fair)))
        let card = try await bench.card(.calendar, #"{"action":"update","search":"Fair","isAllDay":true}"#)
        #expect(card.plan.outcome?.time == .allDay(today + 5...today + 7))
    }

    @Test("an event with a time of the day does not end with the beginning of a day that is said without one")
    func wholeEnd() async throws {
        let bench = try await Bench()
        try bench.add("Dentist", 0, 15, 16)
        let card = try await bench.card(.calendar, #"{"action":"update","search":"Dentist","end":"Friday"}"#)
        #expect(card.stage == .failed && card.failure != nil && card.plan.changes.isEmpty)
    }

    @Test("free times are found on a weekend and in an evening where that is what is asked about")
    func freeTimes() async throws {
        let bench = try await Bench()
        for (fields, time) in [
            (#""start":"Saturday","durationMinutes":720"#, try bench.interval(3, 8, 20)),
            (
                #""start":"tomorrow at 20:00","end":"tomorrow at 22:00","durationMinutes":120"#,
                try bench.interval(1, 20, 22)
            ),
        ] {
            let card = try await bench.card(.calendar, #"{"action":"query",\#(fields)}"#, message: fields)
            #expect(card.plan.results == .freeTimes([time]) && card.plan.notices.isEmpty, "\(fields)")
        }
        try bench.add("Travel", 1, 8, 20)
        let full = try await bench.card(.calendar, #"{"action":"query","start":"tomorrow"}"#)
        #expect(full.plan.results == .freeTimes([]))
        #expect(full.plan.notices == ["Free times were looked for on working days from 08:00 to 20:00."])
    }

    @Test("the dates of a new series are compared with other events, and the card says on which days there are some")
    func series() async throws {
        let bench = try await Bench()
        try bench.add("Review", 8, 10, 11)
        try bench.add("Lunch", 15, 10, 11, isBusy: false)
        try bench.add("Travel", 22, 9, 17)
        let card = try await bench.card(
            .calendar,
            #"{"action":"create","title":"Stand-up","start":"tomorrow at 10","end":"tomorrow at 10:30","recurrence":"weekly"}"#
        )
        #expect(card.plan.conflicts.map(\.title) == ["Review", "Travel"])
        #expect(
            card.plan.notices == [
                "Conflicts were looked for on the first 53 dates, until 2027-11-18.",
                "Other events are at the same time on 2026-11-26, 2026-12-10.",
            ])
    }

    @Test(
        "the card says how often a series recurs, on which days, and until when",
        arguments: [
            ("every other Tuesday", "every 2 weeks on Tue"),
            ("every Monday, Wednesday and Friday", "every week on Mon, Wed and Fri"),
            ("every last Friday of the month", "every month on the last Fri"),
            ("the last working day of every month", "every month on the last working day"),
            ("every last day of the month", "every month on the last day"),
            ("every first Monday of the month", "every month on the first Mon"),
            ("every Tuesday until Christmas", "every week on Tue until 2026-12-25"),
            ("every Monday for 5 times", "every week on Mon, 5 times"), ("every day", "every day"),
        ])
    func recurrence(words: String, text: String) async throws {
        let bench = try await Bench()
        let card = try await bench.card(
            .calendar, #"{"action":"create","title":"Tea","start":"\#(words)"}"#)
        #expect(card.plan.outcome?.recurrence == text)
        #expect(card.text(in: bench.context, width: 80).contains("repeats \(text)"))
    }

    @Test("a kept time that no calendar can name is refused, and a clock does not trap on one")
    func farTimes() throws {
        for text in [
            #"{"start":1e300,"end":1e300}"#, #"{"start":-1e300,"end":0}"#,
            #"{"firstDay":0,"lastDay":9223372036854775807}"#, #"{"firstDay":-9223372036854775808,"lastDay":0}"#,
        ] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(EventTime.self, from: Data(text.utf8)) }
        }
        let clock = LocalClock(.gmt)
        #expect(clock.day(of: Date(timeIntervalSince1970: 1e300)) > clock.day(of: .distantFuture))
        #expect(clock.day(of: Date(timeIntervalSince1970: -1e300)) < clock.day(of: .distantPast))
    }

    @Test("of a series without an end a bounded number of dates is compared")
    func daily() async throws {
        let bench = try await Bench()
        let card = try await bench.card(
            .calendar,
            #"{"action":"create","title":"Walk","start":"tomorrow at 7","end":"tomorrow at 8","recurrence":"daily"}"#)
        #expect(card.plan.notices == ["Conflicts were looked for on the first 60 dates, until 2027-01-17."])
        #expect(card.plan.conflicts.isEmpty)
    }
}
