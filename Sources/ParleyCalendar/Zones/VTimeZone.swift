// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ContentComponent {
    /// Creates a VTIMEZONE for a time zone, because a calendar must define every zone that it uses.
    ///
    /// It contains all changes of the clocks from one year before a time to thirty years after it; later, the last
    /// offset remains.
    ///
    /// - Parameters:
    ///   - zone: The zone; its identifier is the name.
    ///   - time: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - lineEnd: What ends its lines.
    /// - Returns: The component.
    public static func timeZone(
        _ zone: TimeZone, around time: Int, lineEnd: [UInt8] = Array("\r\n".utf8)
    ) -> ContentComponent {
        let clock = ZoneClock(zone)
        let first = time - 366 * 86_400
        var groups: [Change: [CivilTime]] = [:]
        var order: [Change] = []
        func note(_ instant: Int, from: Int, to: Int) {
            let date = Date(timeIntervalSince1970: Double(instant))
            let change = Change(
                from: from, to: to, isDaylight: zone.isDaylightSavingTime(for: date),
                name: zone.abbreviation(for: date) ?? "")
            if groups[change] == nil { order.append(change) }
            groups[change, default: []].append(CivilTime(seconds: instant + from))
        }
        note(first, from: clock.offset(at: first), to: clock.offset(at: first))
        var last = first
        while let next = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(last))),
            next.timeIntervalSince1970 < Double(time) + 30 * 365.25 * 86_400
        {
            let instant = Int(next.timeIntervalSince1970)
            guard instant > last else { break }
            let (from, to) = (clock.offset(at: instant - 1), clock.offset(at: instant))
            if from != to { note(instant, from: from, to: to) }
            last = instant
        }
        var component = ContentComponent("VTIMEZONE", lineEnd: lineEnd)
        component.set("TZID", TextValue.write(zone.identifier))
        for change in order {
            let starts = groups[change] ?? []
            var part = ContentComponent(change.isDaylight ? "DAYLIGHT" : "STANDARD", lineEnd: lineEnd)
            part.set("DTSTART", CalendarTime.floating(starts[0]).text)
            part.set("TZOFFSETFROM", change.from.offsetText)
            part.set("TZOFFSETTO", change.to.offsetText)
            if !change.name.isEmpty { part.set("TZNAME", TextValue.write(change.name)) }
            if starts.count > 1 {
                part.set("RDATE", starts.dropFirst().map { CalendarTime.floating($0).text }.joined(separator: ","))
            }
            component.add(part)
        }
        return component
    }
}

/// A kind of change of the clocks.
private struct Change: Hashable {
    var from: Int
    var to: Int
    var isDaylight: Bool
    var name: String
}

extension Int {
    /// Seconds as `+0100`, or `+013045` where they are no whole minutes.
    fileprivate var offsetText: String {
        let size = abs(self)
        var parts = [size / 3600, size / 60 % 60]
        if size % 60 != 0 { parts.append(size % 60) }
        return (self < 0 ? "-" : "+") + parts.map { $0 < 10 ? "0\($0)" : String($0) }.joined()
    }
}
