// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Synchronization
import Testing

@Suite("Clocks of zones")
struct ZoneClockTests {
    static let berlin = """
        BEGIN:VCALENDAR
        BEGIN:VTIMEZONE
        TZID:Europe/Berlin
        BEGIN:DAYLIGHT
        DTSTART:19810329T020000
        TZOFFSETFROM:+0100
        TZOFFSETTO:+0200
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
        END:DAYLIGHT
        BEGIN:STANDARD
        DTSTART:19961027T030000
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VTIMEZONE
        TZID:Tokyo
        BEGIN:STANDARD
        DTSTART:19700101T000000
        TZOFFSETFROM:+0000
        TZOFFSETTO:+0100
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VTIMEZONE
        TZID:Empty
        END:VTIMEZONE
        END:VCALENDAR

        """

    private func clocks() throws -> [ZoneClock] {
        let calendar = try CalendarObject(reading: Array(Self.berlin.utf8))
        let own = try #require(calendar.zones(local: .gmt).clock(named: "Europe/Berlin"))
        return [own, ZoneClock(try #require(TimeZone(identifier: "Europe/Berlin")))]
    }

    @Test("A time in a gap is read with the offset before it, one that is twice is the first")
    func changes() throws {
        for clock in try clocks() {
            func instant(_ text: String) throws -> String {
                CalendarTime.utc(CivilTime(seconds: clock.instant(of: try #require(CalendarTime(text)).civil))).text
            }
            #expect(try instant("20260329T013000") == "20260329T003000Z")
            #expect(try instant("20260329T023000") == "20260329T013000Z")
            #expect(try instant("20260329T033000") == "20260329T013000Z")
            #expect(try instant("20261025T023000") == "20261025T003000Z")
            #expect(try instant("20261025T033000") == "20261025T023000Z")
            #expect(try instant("20260701T120000") == "20260701T100000Z")
        }
    }

    @Test("The rules of a VTIMEZONE give the offsets of the database")
    func observances() throws {
        let both = try clocks()
        for instant in stride(from: 1_000_000_000, to: 3_000_000_000, by: 99_991) {
            #expect(both[0].offset(at: instant) == both[1].offset(at: instant))
        }
    }

    @Test("The calendar's own zone goes first, then the database, then Windows")
    func names() throws {
        let zones = try CalendarObject(reading: Array(Self.berlin.utf8)).zones(local: .gmt)
        #expect(zones.clock(named: "Tokyo")?.offset(at: 0) == 3600)
        #expect(zones.clock(named: "Asia/Tokyo")?.offset(at: 0) == 32_400)
        #expect(zones.clock(named: "Tokyo Standard Time")?.offset(at: 0) == 32_400)
        #expect(zones.clock(named: "/mozilla.org/20050126_1/America/New_York")?.offset(at: 0) == -18_000)
        #expect(
            zones.clock(named: "/freeassociation.sourceforge.net/America/Argentina/Salta")?.offset(at: 0) == -10_800)
        #expect(zones.clock(named: "Nowhere/Land") == nil)
        #expect(zones.clock(named: "") == nil)
        #expect(zones.clock(named: "Empty") == nil)
    }

    @Test("A zone that the calendar does not define is looked up once, whether there is one or not")
    func lookUps() throws {
        let calendar = try CalendarObject(reading: Array(Self.berlin.utf8))
        let asked = Mutex<[String]>([])
        let zones = ZoneTable(calendar.component, local: .gmt) { name in
            asked.withLock { $0.append(name) }
            return ZoneTable.zone(named: name)
        }
        for _ in 0..<3 {
            #expect(zones.clock(named: "Nowhere/Land") == nil)
            #expect(zones.clock(named: "Tokyo")?.offset(at: 0) == 3600)
            #expect(zones.clock(named: "Asia/Tokyo")?.offset(at: 0) == 32_400)
        }
        let names = asked.withLock { $0 }
        #expect(names == ["Nowhere/Land", "Asia/Tokyo"])
    }

    @Test(
        "A name with commas means its VTIMEZONE, whether they are escaped there or not",
        arguments: ["(UTC+01:00) Amsterdam\\, Bern", "(UTC+01:00) Amsterdam, Bern"])
    func commas(_ name: String) throws {
        let text = Self.berlin.replacing("TZID:Tokyo", with: "TZID:" + name)
        let zones = try CalendarObject(reading: Array(text.utf8)).zones(local: .gmt)
        #expect(zones.clock(named: "(UTC+01:00) Amsterdam, Bern")?.offset(at: 0) == 3600)
        #expect(zones.clock(named: name)?.offset(at: 0) == 3600)
    }

    @Test("A zone whose rules have no times, and are too many, is none; that of the database takes its place")
    func barrenRules() throws {
        let rules = Array(repeating: "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", count: 14)
        let lines =
            [
                "BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Asia/Tokyo", "BEGIN:STANDARD", "DTSTART:19700101T000000",
                "TZOFFSETFROM:+0000", "TZOFFSETTO:+0100",
            ] + rules + ["END:STANDARD", "END:VTIMEZONE", "END:VCALENDAR", ""]
        let calendar = try CalendarObject(reading: Array(lines.joined(separator: "\n").utf8))
        #expect(calendar.zones(local: .gmt).clock(named: "Asia/Tokyo")?.offset(at: 0) == 32_400)
    }

    @Test(
        "A zone that is written is read with the same offsets",
        arguments: [
            "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca", "UTC",
        ])
    func written(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        let component = ContentComponent.timeZone(zone, around: 1_770_000_000)
        let written = try #require(ZoneClock(timeZone: component))
        let clock = ZoneClock(zone)
        for instant in stride(from: 1_770_000_000, to: 1_770_000_000 + 28 * 31_556_952, by: 50_021) {
            #expect(written.offset(at: instant) == clock.offset(at: instant))
        }
    }
}
