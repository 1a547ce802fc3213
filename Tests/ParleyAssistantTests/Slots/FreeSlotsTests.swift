// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Free slots")
struct FreeSlotsTests {
    let clock: LocalClock
    let monday: CivilDate

    init() throws {
        clock = LocalClock(try #require(TimeZone(identifier: "Europe/Berlin")))
        monday = try #require(CivilDate(year: 2026, month: 11, day: 23))
    }

    func time(_ day: CivilDate, _ hour: Int, _ minute: Int = 0) -> Date {
        clock.instant(day, LocalTime(seconds: hour * 3600 + minute * 60))
    }

    func busy(_ day: CivilDate, _ from: Int, _ to: Int) -> BusyTime {
        BusyTime(start: time(day, from), end: time(day, to))
    }

    @Test("A day goes on after its first meeting")
    func afterFirstMeeting() {
        let day = DateInterval(start: time(monday, 0), end: time(monday, 24))
        let slots = FreeSlots(clock: clock).slots(
            of: 3600, within: day, busy: [busy(monday, 9, 10), busy(monday, 11, 18)])
        #expect(slots.map(\.start) == [8, 10, 18, 19].map { time(monday, $0) })
    }

    @Test("Slots stand back to back, have exactly the duration, and are at most five")
    func backToBack() {
        let week = DateInterval(start: time(monday, 0), end: time(monday + 7, 0))
        let slots = FreeSlots(clock: clock).slots(of: 5400, within: week, busy: [busy(monday, 10, 20)])
        #expect(slots.count == 5)
        #expect(slots.map(\.start) == [time(monday, 8)] + [8 * 60, 570, 660, 750].map { time(monday + 1, 0, $0) })
        #expect(slots.allSatisfy { $0.duration == 5400 })
    }

    @Test("All-day events and weekends do not count; nothing lies outside the range")
    func edges() {
        let slots = FreeSlots(clock: clock)
        let allDay = BusyTime(start: time(monday, 0), end: time(monday + 1, 0), isAllDay: true)
        let range = DateInterval(start: time(monday, 18, 30), end: time(monday + 1, 9, 15))
        #expect(
            slots.slots(of: 3600, within: range, busy: [allDay]).map(\.start) == [
                time(monday, 18, 30), time(monday + 1, 8),
            ])
        let weekend = DateInterval(start: time(monday + 5, 0), end: time(monday + 7, 0))
        #expect(slots.slots(of: 3600, within: weekend, busy: []).isEmpty)
        #expect(slots.slots(of: 0, within: range, busy: []).isEmpty)
        #expect(slots.slots(of: .nan, within: range, busy: []).isEmpty)
    }

    @Test("What conflicts keeps its length where it moves, whatever that is; a whole day has nowhere to go")
    func conflicts() {
        let slots = FreeSlots(clock: clock)
        let now = time(monday, 8)
        for (event, length) in [(busy(monday, 9, 10), 3600.0), (busy(monday, 9, 19), 36_000), (busy(monday, 9, 9), 0)] {
            let found = slots.slots(for: event, busy: [], now: now)
            #expect(found.count == 5 && found.allSatisfy { $0.duration == length })
        }
        let day = BusyTime(start: now, end: time(monday + 1, 0), isAllDay: true)
        #expect(slots.slots(for: day, busy: [], now: now).isEmpty)
        // Without length it is put where there is room for something.
        let point = slots.slots(for: busy(monday, 9, 9), busy: [busy(monday, 9, 12)], now: now)
        #expect(point.first?.start == time(monday, 12))
        #expect(busy(monday, 9, 10).conflicts(with: busy(monday, 9, 11)))
        #expect(!busy(monday, 9, 10).conflicts(with: busy(monday, 10, 11)))
    }

    /// What the function is held against: each minute is free or not, and a slot is a run of free ones.
    func reference(_ minutes: Int, _ range: DateInterval, _ busy: [BusyTime], _ slots: FreeSlots) -> [DateInterval] {
        var found: [DateInterval] = []
        var run = 0
        var minute = range.start
        while minute < range.end, found.count < slots.limit {
            let (day, time) = (slots.clock.day(of: minute), slots.clock.time(of: minute))
            let next = minute.addingTimeInterval(60)
            let isFree =
                slots.weekdays.contains(day.weekday) && slots.hours.contains(time)
                && !busy.contains { !$0.isAllDay && $0.start < next && $0.end > minute }
            run = isFree ? run + 1 : 0
            if run == minutes {
                found.append(DateInterval(start: next.addingTimeInterval(Double(-60 * minutes)), end: next))
                run = 0
            }
            minute = next
        }
        return found
    }

    @Test("Minute by minute it is the same, on days of daylight saving too", arguments: 0..<60)
    func againstReference(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]
        var slots = FreeSlots(clock: LocalClock(try #require(TimeZone(identifier: zones[seed % 4]))))
        let dates = [(2027, 3, 25), (2027, 10, 29), (2027, 3, 12), (2027, 11, 5), (2027, 4, 2), (2028, 2, 27)]
        let (year, month, day) = dates[seed % dates.count]
        let first = try #require(CivilDate(year: year, month: month, day: day))
        if seed % 2 == 1 {
            // Through the night and on Sundays, when clocks change.
            slots.weekdays = [.monday, .saturday, .sunday]
            slots.hours = LocalTime(seconds: 0)..<LocalTime(seconds: 12 * 3600)
        }
        let start = slots.clock.instant(first, LocalTime(seconds: 60 * Int.random(in: 0..<1440, using: &random)))
        let range = DateInterval(start: start, duration: 60 * Double(Int.random(in: 1...6000, using: &random)))
        let busy = (0..<Int.random(in: 0...14, using: &random)).map { _ in
            let from = start.addingTimeInterval(60 * Double(Int.random(in: -600...6000, using: &random)))
            return BusyTime(
                start: from, end: from.addingTimeInterval(60 * Double(Int.random(in: 0...400, using: &random))),
                isAllDay: Int.random(in: 0..<8, using: &random) == 0)
        }
        let minutes = Int.random(in: 5...240, using: &random)
        slots.limit = Int.random(in: 1...12, using: &random)
        let expected = reference(minutes, range, busy, slots)
        #expect(slots.slots(of: Double(60 * minutes), within: range, busy: busy) == expected)
    }
}
