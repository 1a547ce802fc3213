// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Converts between instants and the local time of a zone.
public struct ZoneClock: Sendable {
    private enum Source: Sendable {
        case foundation(TimeZone)
        case observances(Observances)
    }
    private let source: Source

    /// The clock of a zone that Foundation knows.
    ///
    /// - Parameter zone: The zone.
    public init(_ zone: TimeZone) { source = .foundation(zone) }

    /// The clock of a VTIMEZONE; nil if it has no valid observances.
    ///
    /// - Parameter component: A VTIMEZONE.
    public init?(timeZone component: ContentComponent) {
        var left = RuleTimes.most
        self.init(timeZone: component, left: &left)
    }

    /// The clock of one of several zones, whose rules share how many days and times they may examine.
    init?(timeZone component: ContentComponent, left: inout Int) {
        guard let observances = Observances(component, left: &left) else { return nil }
        source = .observances(observances)
    }

    /// The clock of UTC.
    public static let utc = ZoneClock(.gmt)

    /// The seconds by which the clock is ahead of UTC.
    ///
    /// - Parameter instant: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: Seconds, negative west of Greenwich.
    public func offset(at instant: Int) -> Int {
        switch source {
        case .foundation(let zone): zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        case .observances(let observances): observances.offset(at: instant)
        }
    }

    /// The instant at which the clock shows a time.
    ///
    /// If the clock shows a time twice, the first instant is used. If it skips a time, the offset before the gap is
    /// used: where clocks go from 2:00 to 3:00, 02:30 is the instant of 03:30 (RFC 5545, section 3.3.5).
    ///
    /// - Parameter time: A time on the clock.
    /// - Returns: Seconds since 1970-01-01 00:00:00 UTC.
    public func instant(of time: CivilTime) -> Int {
        let before = offset(at: time.seconds - 86_400)
        let after = offset(at: time.seconds + 86_400)
        let earlier = time.seconds - before
        if before == after || offset(at: earlier) == before { return earlier }
        let later = time.seconds - after
        return offset(at: later) == after ? later : earlier
    }

    /// The local time at an instant.
    ///
    /// - Parameter instant: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The time on the clock.
    public func time(at instant: Int) -> CivilTime {
        CivilTime(seconds: instant + offset(at: instant))
    }
}
