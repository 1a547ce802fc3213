// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The clocks of a calendar's time zones, by name.
///
/// A name refers to the calendar's own VTIMEZONE with that name, else to a zone of the IANA database, else to a Windows
/// zone. Names such as `/mozilla.org/20050126_1/Europe/Berlin` refer to the zone with which they end.
public struct ZoneTable: Sendable {
    private let own: [String: ZoneClock]
    private let others: OtherZones
    /// The clock of times without a zone, and of times whose zone is unknown.
    public let local: ZoneClock

    /// Reads the zones of a calendar.
    ///
    /// - Parameters:
    ///   - calendar: A VCALENDAR.
    ///   - local: The zone for times without a zone.
    public init(_ calendar: ContentComponent, local: TimeZone) {
        self.init(calendar, local: local) { Self.zone(named: $0) }
    }

    /// Reads the zones of a calendar; what it does not define is looked up, each name once.
    package init(_ calendar: ContentComponent, local: TimeZone, lookUp: @escaping @Sendable (String) -> TimeZone?) {
        var own: [String: ZoneClock] = [:]
        var left = RuleTimes.most
        for component in calendar.components("VTIMEZONE") {
            let names = Self.names(of: component).filter { own[$0] == nil }
            guard !names.isEmpty else { continue }
            let clock = ZoneClock(timeZone: component, left: &left)
            for name in names { own[name] = clock }
        }
        self.own = own
        others = OtherZones(lookUp)
        self.local = ZoneClock(local)
    }

    /// The names of a VTIMEZONE. Some programs escape a comma in them here and not where a time names the zone, and some
    /// in both.
    static func names(of component: ContentComponent) -> [String] {
        component["TZID"].map { [TextValue.read($0.value), $0.value] } ?? []
    }

    /// The clock of a name.
    ///
    /// - Parameter name: The parameter TZID.
    /// - Returns: The clock; nil for an unknown name.
    public func clock(named name: String) -> ZoneClock? {
        own[name] ?? others.clock(named: name)
    }

    /// The clock by which a time is read.
    ///
    /// - Parameter time: A time of the calendar.
    /// - Returns: The clock of its zone, or ``local``.
    public func clock(of time: CalendarTime) -> ZoneClock {
        switch time {
        case .utc: .utc
        case .date, .floating: local
        case .zoned(_, let name): clock(named: name) ?? local
        }
    }

    /// The instant of a time.
    ///
    /// - Parameter time: A time of the calendar; a day means its first moment.
    /// - Returns: Seconds since 1970-01-01 00:00:00 UTC.
    public func instant(of time: CalendarTime) -> Int {
        clock(of: time).instant(of: time.civil)
    }

    /// What the clock of another time shows at a time; days, and times without a zone, are the same on every clock.
    ///
    /// - Parameters:
    ///   - time: A time of the calendar.
    ///   - other: The time of which the clock is meant.
    /// - Returns: The local time.
    package func civil(_ time: CalendarTime, onClockOf other: CalendarTime) -> CivilTime {
        switch (other, time) {
        case (.date, _), (.floating, _), (_, .date), (_, .floating): time.civil
        default: other.with(time.civil) == time ? time.civil : clock(of: other).time(at: instant(of: time))
        }
    }

    /// The zone with a name in the IANA database or in Windows.
    ///
    /// - Parameter name: The name; the last parts of a name with slashes may be the zone.
    /// - Returns: The zone; nil for an unknown name.
    public static func zone(named name: String) -> TimeZone? {
        let parts = name.split(separator: "/")
        for count in [parts.count, 3, 2, 1] where count <= parts.count && count > 0 {
            let tail = parts.suffix(count).joined(separator: "/")
            if let zone = TimeZone(identifier: WindowsZones.names[tail] ?? tail) { return zone }
        }
        return nil
    }
}

/// The clocks of zones that a calendar names and does not define.
///
/// A line may have a hundred thousand times in one zone, and to find that there is no such zone takes the system long.
private final class OtherZones: Sendable {
    private let lookUp: @Sendable (String) -> TimeZone?
    /// What was looked up; nil for a name that is none.
    private let known = Mutex<[String: ZoneClock?]>([:])

    init(_ lookUp: @escaping @Sendable (String) -> TimeZone?) { self.lookUp = lookUp }

    func clock(named name: String) -> ZoneClock? {
        known.withLock { known in
            if let clock = known[name] { return clock }
            let clock = lookUp(name).map { ZoneClock($0) }
            known.updateValue(clock, forKey: name)
            return clock
        }
    }
}
