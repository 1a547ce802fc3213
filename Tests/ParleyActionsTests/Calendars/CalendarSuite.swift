// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// What the tests of calendars have in common.
protocol CalendarSuite {}

extension CalendarSuite {
    /// A weekly series in Berlin with an exception, an alarm, and lines that another program wrote.
    var series: String {
        """
        UID:weekly
        DTSTAMP:20250101T000000Z
        X-KEPT;a="b;c":some value that another program wrote and fol
         ded elsewhere
        DTSTART;TZID=Europe/Berlin:20260302T090000
        DTEND;TZID=Europe/Berlin:20260302T093000
        SUMMARY:Stand-up
        RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260429T070000Z
        EXDATE;TZID=Europe/Berlin:20260304T090000
        BEGIN:VALARM
        ACTION:DISPLAY
        TRIGGER:-PT5M
        X-ALARM:kept
        END:VALARM
        """
    }

    func range(_ from: String, _ to: String) -> DateInterval {
        DateInterval(
            start: ItemsInMemory.date(from + "T00:00:00Z"), end: ItemsInMemory.date(to + "T00:00:00Z"))
    }

    func fields(_ set: (inout EventFields) -> Void) -> EventFields {
        var fields = EventFields()
        set(&fields)
        return fields
    }

    func times(_ events: [StoredEvent]) -> [String] {
        events.map { event in
            switch event.time {
            case .timed(let interval): interval.start.ISO8601Format() + " \(Int(interval.duration / 60))"
            case .allDay(let days): "\(days.lowerBound.parts) \(days.count)"
            }
        }
    }
}
