// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Testing

/// A calendar with a series, as short as a test can say it.
struct Calendars {
    /// Makes a calendar of events, each from its lines; each has the UID `series` and begins and ends as an event does.
    static func events(_ events: String..., lineEnd: String = "\r\n") throws -> CalendarObject {
        let parts = events.map { "BEGIN:VEVENT\nUID:series\n\($0)\nEND:VEVENT\n" }
        let text = "BEGIN:VCALENDAR\nVERSION:2.0\n" + parts.joined() + "END:VCALENDAR\n"
        return try CalendarObject(reading: Array(text.replacing("\n", with: lineEnd).utf8))
    }

    /// What happens in a range: start, end in UTC without the year's first two digits, and summary where there is one.
    static func found(
        _ calendar: CalendarObject, _ first: String, _ last: String, local: String = "UTC"
    ) throws -> [String] {
        let list = try occurrences(calendar, first, last, local: local)
        return list.map {
            let ends = [$0.interval.start, $0.interval.end].map {
                String(
                    CalendarTime.utc(CivilTime(seconds: Int($0.timeIntervalSince1970))).text.dropFirst(4).dropLast(3))
            }
            return (ends + [$0.item.summary].compactMap(\.self)).joined(separator: " ")
        }
    }

    static func occurrences(
        _ calendar: CalendarObject, _ first: String, _ last: String, local: String = "UTC"
    ) throws -> [Occurrence<CalendarEvent>] {
        let zone = try #require(TimeZone(identifier: local))
        let ends = try [first, last].map {
            Date(timeIntervalSince1970: Double(try #require(CalendarTime($0)).civil.seconds))
        }
        let range = DateInterval(start: ends[0], end: ends[1])
        return try calendar.occurrences(of: CalendarEvent.self, in: range, local: zone).occurrences
    }
}
