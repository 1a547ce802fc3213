// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A stretch of a calendar that is taken.
public struct BusyTime: Hashable, Sendable {
    /// When it begins.
    public var start: Date
    /// When it ends; not before ``start``.
    public var end: Date
    /// Whether it lasts whole days; such a one keeps nobody from meeting.
    public var isAllDay: Bool

    /// A taken stretch; an end before its start counts as the start.
    public init(start: Date, end: Date, isAllDay: Bool = false) {
        (self.start, self.end, self.isAllDay) = (start, max(start, end), isAllDay)
    }

    /// Whether two share some time; those that only touch do not.
    public func conflicts(with other: BusyTime) -> Bool { start < other.end && end > other.start }
}

/// Finds times that are free: a pure function of what is taken.
///
/// On each working day the hours that are both working hours and in the range are walked from their beginning. What is
/// free between two taken stretches gives slots of exactly the duration, one right after the other. Hours are those that
/// clocks show, so that on a day of daylight saving 8:00 is 8:00 and the day has one hour fewer or more within them if
/// the clocks change there.
///
/// ```swift
/// let slots = FreeSlots(clock: clock).slots(of: 3600, within: week, busy: events)
/// ```
public struct FreeSlots: Sendable {
    /// The user's days and hours.
    public var clock: LocalClock
    /// From when to when people work; by default 8:00 to 20:00.
    public var hours = LocalTime(seconds: 8 * 3600)..<LocalTime(seconds: 20 * 3600)
    /// The days on which people work, 1 for Monday to 7 for Sunday; by default Monday to Friday.
    public var weekdays: Set<Int> = [1, 2, 3, 4, 5]
    /// The most slots that are given.
    public var limit = 5

    /// With the default hours and days.
    public init(clock: LocalClock) { self.clock = clock }

    /// The first free slots, in order.
    ///
    /// - Parameters:
    ///   - duration: the length of each, in seconds; nothing is found for 0 or less.
    ///   - range: where they lie, the first and last included; at most the first ten years of it are searched.
    ///   - busy: what is taken, in any order; what lasts whole days is left out of account.
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
                // What is free ends with the next meeting, and the day goes on after it.
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

    /// Slots to which something that conflicts could be moved: in the seven days from its beginning, of its own length, at
    /// most four hours; two hours for what lasts whole days or no time.
    ///
    /// - Parameters:
    ///   - event: what conflicts.
    ///   - busy: what else is taken, without the event itself.
    ///   - now: slots begin no earlier.
    /// - Returns: at most ``limit`` slots.
    public func slots(for event: BusyTime, busy: [BusyTime], now: Date) -> [DateInterval] {
        let length = event.end.timeIntervalSince(event.start)
        let duration = event.isAllDay || length <= 0 ? 2 * 3600 : min(length, 4 * 3600)
        let start = max(event.start, now)
        let day = clock.day(of: start)
        let end = clock.instant(day + 7, clock.time(of: start))
        return slots(of: duration, within: DateInterval(start: start, end: max(start, end)), busy: busy)
    }

    /// In order, and those that touch or overlap as one.
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
