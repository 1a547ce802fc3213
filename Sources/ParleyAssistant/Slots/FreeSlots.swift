// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyCalendar

/// A time that is taken in a calendar.
public struct BusyTime: Hashable, Sendable {
    /// When it begins.
    public var start: Date
    /// When it ends; not before ``start``.
    public var end: Date
    /// Whether it lasts whole days; such times do not prevent meetings.
    public var isAllDay: Bool

    /// Creates a time; an end before the start is replaced by the start.
    public init(start: Date, end: Date, isAllDay: Bool = false) {
        (self.start, self.end, self.isAllDay) = (start, max(start, end), isAllDay)
    }

    /// Whether two times overlap; adjacent times do not.
    public func conflicts(with other: BusyTime) -> Bool { start < other.end && end > other.start }
}

/// Finds free times, as a pure function of the times that are taken.
///
/// Each working day is searched from the start of its working hours within the range. Each free gap between taken times
/// gives slots of exactly the given duration, one directly after the other. Hours are local times: 8:00 remains 8:00
/// when clocks change, and a day on which they change within working hours is an hour shorter or longer.
///
/// ```swift
/// let slots = FreeSlots(clock: clock).slots(of: 3600, within: week, busy: events)
/// ```
public struct FreeSlots: Sendable {
    /// Converts between instants and the user's local time.
    public var clock: LocalClock
    /// The working hours; by default 8:00 to 20:00.
    public var hours = LocalTime(seconds: 8 * 3600)..<LocalTime(seconds: 20 * 3600)
    /// The working days; by default Monday to Friday.
    public var weekdays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]
    /// The maximum number of slots to return.
    public var limit = 5

    /// Creates a finder with the default hours and days.
    public init(clock: LocalClock) { self.clock = clock }

    /// The first free slots, in order.
    ///
    /// - Parameters:
    ///   - duration: the length of each slot in seconds; there are no slots for 0 or less.
    ///   - range: the range in which the slots lie; at most its first ten years are searched.
    ///   - busy: the times that are taken, in any order; those that last whole days are ignored.
    /// - Returns: at most ``limit`` slots.
    public func slots(of duration: TimeInterval, within range: DateInterval, busy: [BusyTime]) -> [DateInterval] {
        guard duration > 0, duration.isFinite, limit > 0 else { return [] }
        let taken = merged(busy)
        var found: [DateInterval] = []
        var next = 0
        let first = clock.day(of: range.start)
        for day in first...min(max(first, clock.day(of: range.end)), first + 3660) where weekdays.contains(day.weekday)
        {
            var free = max(clock.instant(day, hours.lowerBound), range.start)
            let end = min(clock.instant(day, hours.upperBound), range.end)
            while next < taken.count, taken[next].end <= free { next += 1 }
            var meeting = next
            while free < end {
                // A free gap ends at the next taken time; the search continues after it.
                let isMeeting = meeting < taken.count && taken[meeting].start < end
                let gap = isMeeting ? taken[meeting].start : end
                while free.addingTimeInterval(duration) <= gap {
                    found.append(DateInterval(start: free, duration: duration))
                    if found.count == limit { return found }
                    free = free.addingTimeInterval(duration)
                }
                guard isMeeting else { break }
                free = max(free, taken[meeting].end)
                meeting += 1
            }
        }
        return found
    }

    /// Finds slots to which a conflicting event could be moved, within seven days from its start.
    ///
    /// The slots have the event's length, so that moving it changes nothing else. An event without length is moved to the
    /// beginning of a free half hour; one that lasts whole days has no slot.
    ///
    /// - Parameters:
    ///   - event: the conflicting event.
    ///   - busy: the other times that are taken.
    ///   - now: the earliest start of a slot.
    /// - Returns: at most ``limit`` slots.
    public func slots(for event: BusyTime, busy: [BusyTime], now: Date) -> [DateInterval] {
        guard !event.isAllDay else { return [] }
        let length = event.end.timeIntervalSince(event.start)
        let start = max(event.start, now)
        let day = clock.day(of: start)
        let end = clock.instant(day + 7, clock.time(of: start))
        let range = DateInterval(start: start, end: max(start, end))
        return slots(of: length > 0 ? length : 1800, within: range, busy: busy).map {
            DateInterval(start: $0.start, duration: length)
        }
    }

    /// The times in order, with adjacent and overlapping ones merged.
    private func merged(_ busy: [BusyTime]) -> [BusyTime] {
        busy.filter { !$0.isAllDay && $0.end > $0.start }.sorted { $0.start < $1.start }.reduce(into: []) {
            result, next in
            if let last = result.last, next.start <= last.end {
                result[result.count - 1].end = max(last.end, next.end)
            } else {
                result.append(next)
            }
        }
    }
}
