// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar

/// Converts between the dates of the system's calendar, which are instants, and the times that texts state.
struct SystemClock: Sendable {
    /// The zone of whole days, and of times without a zone.
    let local: TimeZone

    /// An instant as a time in a zone; without a zone, as one that is the same everywhere.
    func time(_ instant: Date, in zone: TimeZone?) -> CalendarTime {
        guard let zone else { return .floating(ZoneClock(local).time(at: CivilTime(instant).seconds)) }
        return CalendarContext(timeZone: zone, folder: "", now: { Date() }, newUID: { "" }).time(instant)
    }

    /// An instant as a time of the same form and zone as another.
    func time(_ instant: Date, like other: CalendarTime) -> CalendarTime {
        other.with(clock(of: other).time(at: CivilTime(instant).seconds))
    }

    /// The local day of an instant.
    func day(_ instant: Date) -> CivilDate { ZoneClock(local).time(at: CivilTime(instant).seconds).date }

    /// The instant of a time; of a day, its first moment.
    func instant(_ time: CalendarTime) -> Date {
        Date(timeIntervalSince1970: Double(clock(of: time).instant(of: time.civil)))
    }

    /// The zone that the system is told for a time; nil for days and for times without a zone.
    func zone(of time: CalendarTime) -> TimeZone? {
        switch time {
        case .date, .floating: nil
        case .utc: .gmt
        case .zoned(_, let name): ZoneTable.zone(named: name) ?? local
        }
    }

    /// The clock of a time.
    func clock(of time: CalendarTime) -> ZoneClock { ZoneClock(zone(of: time) ?? local) }
}
