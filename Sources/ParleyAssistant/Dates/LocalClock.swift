// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyCalendar

/// Converts between instants and the local days and times of a time zone.
public struct LocalClock: Sendable {
    /// How a local time corresponds to instants.
    public enum Reading: Hashable, Sendable {
        /// The time occurs once.
        case once(Date)
        /// Clocks skip the time because they are set forward; the instant uses the earlier offset, as in RFC 5545.
        case skipped(Date)
        /// The time occurs twice because clocks are set back.
        case twice(Date, Date)

        /// The instant, or the first of two.
        public var instant: Date {
            switch self {
            case .once(let instant), .skipped(let instant), .twice(let instant, _): instant
            }
        }
    }

    /// The time zone.
    public let timeZone: TimeZone

    /// Creates a clock for a time zone.
    public init(_ timeZone: TimeZone) { self.timeZone = timeZone }

    /// The local day of an instant.
    public func day(of instant: Date) -> CivilDate {
        CivilDate(dayNumber: Int((local(instant) / 86_400).rounded(.down)))
    }

    /// The local time of an instant, in whole seconds.
    public func time(of instant: Date) -> LocalTime {
        let seconds = local(instant)
        return LocalTime(seconds: Int(seconds - (seconds / 86_400).rounded(.down) * 86_400))
    }

    /// The instants at which clocks show a time on a day.
    public func reading(of time: LocalTime, on day: CivilDate) -> Reading {
        let naive = Double(day.dayNumber) * 86_400 + Double(time.seconds)
        // No zone changes its offset twice within two days, so only the offsets before and after are possible.
        let before = offset(at: naive - 86_400 - offset(at: naive))
        let after = offset(at: naive + 86_400 - offset(at: naive))
        let (early, late) = (naive - max(before, after), naive - min(before, after))
        let valid = before == after ? [early] : [early, late].filter { $0 + offset(at: $0) == naive }
        switch valid.count {
        case 0: return .skipped(Date(timeIntervalSince1970: naive - before))
        case 1: return .once(Date(timeIntervalSince1970: valid[0]))
        default: return .twice(Date(timeIntervalSince1970: early), Date(timeIntervalSince1970: late))
        }
    }

    /// The instant at which clocks show a time on a day; see ``reading(of:on:)``.
    public func instant(_ day: CivilDate, _ time: LocalTime) -> Date { reading(of: time, on: day).instant }

    /// The instant at which a day begins: midnight, or the first local time if midnight is skipped.
    public func start(of day: CivilDate) -> Date { instant(day, LocalTime(seconds: 0)) }

    private func local(_ instant: Date) -> Double {
        // Files can hold any number; further away than calendars reach it would overflow that of a day.
        let seconds = min(max(instant.timeIntervalSince1970, -1e12), 1e12).rounded(.down)
        return seconds + offset(at: seconds)
    }

    private func offset(at seconds: Double) -> Double {
        Double(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
    }
}
