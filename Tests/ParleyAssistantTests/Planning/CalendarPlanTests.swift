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
