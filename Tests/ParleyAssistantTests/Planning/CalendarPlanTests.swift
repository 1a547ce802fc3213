// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
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
