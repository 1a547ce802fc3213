// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import ParleyJSON
import Testing

/// `scripts/reference/calendar/record.py --goldens` recorded them with recurring-ical-events 3.8.2.
@Suite("Random calendars")
struct ReferenceOccurrenceTests {
    @Test("They have the occurrences that recurring-ical-events finds")
    func goldens() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Goldens/occurrences.json")
        let cases = try #require(try JSONValue(parsing: Data(contentsOf: file)).array)
        #expect(cases.count >= 300)
        for one in cases {
            let seed = one["seed"]?.integer ?? 0
            let bytes = Array(try #require(one["calendar"]?.string).utf8)
            let calendar = try CalendarObject(reading: bytes)
            #expect(calendar.bytes == bytes, "seed \(seed)")
            let zone = try #require(TimeZone(identifier: one["viewer"]?.string ?? ""))
            let ends = try ["from", "to"].map { Date(timeIntervalSince1970: Double(try #require(one[$0]?.integer))) }
            let list = try calendar.occurrences(
                of: CalendarEvent.self, in: DateInterval(start: ends[0], end: ends[1]), local: zone)
            let found = Set(
                list.occurrences.map { one in
                    let (start, end) = (
                        one.interval.start.timeIntervalSince1970, one.interval.end.timeIntervalSince1970
                    )
                    return "\(Int(start)) \(Int(end)) \(one.item.summary ?? "")"
                })
            let expected = Set(
                one["found"]?.array?.map { one in
                    "\(one[0]?.integer ?? 0) \(one[1]?.integer ?? 0) \(one[2]?.string ?? "")"
                } ?? [])
            #expect(found == expected, "seed \(seed)\n\(one["calendar"]?.string ?? "")")
            #expect(list.problems.isEmpty, "seed \(seed)")
        }
    }
}
