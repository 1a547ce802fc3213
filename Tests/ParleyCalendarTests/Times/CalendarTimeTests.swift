// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Testing

@Suite("Dates, times and durations")
struct CalendarTimeTests {
    @Test("Each day has its number, parts and weekday")
    func days() throws {
        let first = try #require(CivilDate(year: 1600, month: 2, day: 28)).dayNumber
        var (weekday, last) = (CivilDate(dayNumber: first).weekday.rawValue, (1600, 2, 28))
        var wrong: [Int] = []
        for number in (first + 1)...(first + 300_000) {
            let date = CivilDate(dayNumber: number)
            let parts = date.parts
            weekday = (weekday + 1) % 7
            let follows = parts.day == 1 ? parts.month == last.1 % 12 + 1 : parts == (last.0, last.1, last.2 + 1)
            let isSame = CivilDate(year: parts.year, month: parts.month, day: parts.day) == date
            if !follows || !isSame || date.weekday.rawValue != weekday { wrong.append(number) }
            last = parts
        }
        #expect(wrong.isEmpty)
        #expect(CivilDate(year: 2026, month: 11, day: 22)?.weekday == .sunday)
        #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
    }

    @Test("Days have the dates and weekdays of the system's calendar")
    func systemCalendar() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for number in stride(from: -100_000, to: 1_000_000, by: 997) {
            let day = CivilDate(dayNumber: number)
            let instant = Date(timeIntervalSince1970: Double(number) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: instant)
            #expect(parts.year == day.parts.year && parts.month == day.parts.month && parts.day == day.parts.day)
            #expect(parts.weekday.map { ($0 + 5) % 7 + 1 } == day.weekday.number)
        }
    }

    @Test("Days are counted in days, weeks and months")
    func steps() throws {
        let day = try #require(CivilDate(year: 2028, month: 1, day: 31))
        #expect(day.description == "2028-01-31")
        #expect(CivilTime.earliest.date.description == "0000-01-01")
        #expect(CivilTime.latest.date.description == "9999-12-31")
        #expect(CivilTime(seconds: CivilTime.latest.seconds + 1).date.parts.year == 10_000)
        #expect(day.adding(months: 1).description == "2028-02-29")
        #expect(day.adding(months: -11).description == "2027-02-28")
        #expect((day + 1).description == "2028-02-01" && day.distance(to: day - 31) == -31)
        #expect(day.adding(months: 1_000_000).description == "9999-12-31")
        #expect(day.weekday == .monday && day.startOfWeek(first: .sunday) == day - 1)
        #expect(day.startOfWeek(first: .monday) == day && day.startOfWeek(first: .tuesday) == day - 6)
        #expect(day.onOrAfter(.monday) == day && day.onOrAfter(.sunday) == day + 6)
        #expect(Weekday.allCases.map(\.number) == Array(1...7) && Weekday(number: 8) == nil)
    }

    @Test(
        "Values are read and written",
        arguments: ["20260307", "20260307T140509", "20260307T140509Z", "00010101T000000", "19691231T235959Z"])
    func values(_ text: String) throws {
        #expect(try #require(CalendarTime(text)).text == text)
    }

    @Test(
        "What is no day and no time is refused",
        arguments: [
            "", "2026030", "20260230", "20261301", "20260307T240000", "20260307T1405", "20260307T140509X", "+2260307",
        ])
    func refused(_ text: String) {
        #expect(CalendarTime(text) == nil)
    }

    @Test("A zone counts for times that are not in UTC")
    func zones() throws {
        let time = try #require(CalendarTime("20260307T140509", zone: "Europe/Berlin"))
        #expect(time == .zoned(time.civil, zone: "Europe/Berlin"))
        #expect(CalendarTime("20260307T140509Z", zone: "Europe/Berlin") == .utc(time.civil))
        #expect(CalendarTime("20260307T140560") == .floating(CivilTime(seconds: time.civil.seconds + 50)))
    }

    @Test(
        "Durations are read and written",
        arguments: [
            ("PT15M", 0, 900), ("-P1D", -1, 0), ("P2W", 14, 0), ("P1DT1H1M1S", 1, 3661), ("-PT36H", 0, -129_600),
            ("PT0S", 0, 0), ("P15DT5H0M20S", 15, 18_020),
        ])
    func durations(_ text: String, _ days: Int, _ seconds: Int) throws {
        let duration = try #require(CalendarDuration(text))
        #expect(duration == CalendarDuration(days: days, seconds: seconds))
        #expect(CalendarDuration(duration.text) == duration)
    }

    @Test(
        "What is no duration is refused",
        arguments: ["", "P", "PT", "15M", "P1H", "PT1D", "P1DT", "PT99999999999999999999S"])
    func noDurations(_ text: String) {
        #expect(CalendarDuration(text) == nil)
    }

    @Test("A duration whose units come again until their sum would overflow is refused")
    func repeatedUnits() {
        let isRead = CalendarDuration("PT" + String(repeating: "9999999999H", count: 300_000)) != nil
        #expect(!isRead)
    }
}
