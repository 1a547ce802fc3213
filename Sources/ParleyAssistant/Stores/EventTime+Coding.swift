// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyCalendar

extension EventTime {
    /// Whether it is whole days.
    public var isAllDay: Bool { if case .allDay = self { true } else { false } }

    /// The instants between which it lies.
    public func interval(_ clock: LocalClock) -> DateInterval {
        switch self {
        case .timed(let interval): interval
        case .allDay(let days):
            DateInterval(start: clock.start(of: days.lowerBound), end: clock.start(of: days.upperBound + 1))
        }
    }

    /// The time as one that is taken in a calendar.
    public func busyTime(_ clock: LocalClock) -> BusyTime {
        let interval = interval(clock)
        return BusyTime(start: interval.start, end: interval.end, isAllDay: isAllDay)
    }
}

extension EventTime: Codable {
    private enum Key: String, CodingKey { case start, end, firstDay, lastDay }

    /// Decodes two instants, or two days as numbers of days since 1970.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        if let first = try fields.decodeIfPresent(Int.self, forKey: .firstDay) {
            let last = try fields.decode(Int.self, forKey: .lastDay)
            // Days outside of what a calendar can hold would overflow the sums of seconds.
            guard first > -10_000_000, last < 10_000_000, first <= last else {
                throw DecodingError.dataCorruptedError(forKey: .lastDay, in: fields, debugDescription: "no such days")
            }
            self = .allDay(CivilDate(dayNumber: first)...CivilDate(dayNumber: last))
        } else {
            let start = try fields.decode(Date.self, forKey: .start)
            let end = try fields.decode(Date.self, forKey: .end)
            guard start <= end, start.timeIntervalSince1970 > -1e12, end.timeIntervalSince1970 < 1e12 else {
                throw DecodingError.dataCorruptedError(forKey: .end, in: fields, debugDescription: "no such times")
            }
            self = .timed(DateInterval(start: start, end: end))
        }
    }

    /// Encodes two instants, or two days as numbers of days since 1970.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .timed(let interval):
            try fields.encode(interval.start, forKey: .start)
            try fields.encode(interval.end, forKey: .end)
        case .allDay(let days):
            try fields.encode(days.lowerBound.dayNumber, forKey: .firstDay)
            try fields.encode(days.upperBound.dayNumber, forKey: .lastDay)
        }
    }
}
