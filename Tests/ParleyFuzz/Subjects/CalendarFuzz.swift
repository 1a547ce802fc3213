// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyRuntime

/// Damaged calendars and address books. What is read is written with the same bytes, and an event that is given another
/// title has it then.
struct CalendarFuzz: FuzzSubject {
    static let name = "calendar"

    private static let pieces = [
        "BEGIN:VEVENT\r\n", "END:VEVENT\r\n", "BEGIN:VCALENDAR\r\n", "END:VCALENDAR\r\n", "BEGIN:VTIMEZONE\r\n",
        "UID:a\r\n", "SUMMARY:x\r\n", "DTSTART:20260301T100000\r\n", "DTSTART;VALUE=DATE:20260301\r\n",
        "DTEND:20260301T110000Z\r\n", "DURATION:P9999999W\r\n", "RRULE:FREQ=SECONDLY\r\n",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\r\n", "RRULE:FREQ=DAILY;INTERVAL=2147483647;COUNT=999999999\r\n",
        ";BYDAY=-53MO,5SU", ";BYSETPOS=-366,366", ";UNTIL=99991231T235959Z", ";WKST=SU", ";BYHOUR=0,1,2,3",
        "EXDATE:20260308T100000\r\n", "RDATE:20260309T100000,20260310T100000\r\n",
        "RECURRENCE-ID:20260308T100000\r\n", "TZID=Europe/Berlin", "TZID=\"W. Europe Standard Time\"",
        "TZOFFSETTO:+2400\r\n", "\r\n ", "\n\t", ";", ":", ",", "=", "\\", "\"", "^n", "99999999T999999", "-00010101",
        "\u{0}", "é", "BEGIN:VALARM\r\nTRIGGER:-P1D\r\nEND:VALARM\r\n", "TRANSP:TRANSPARENT\r\n",
    ].map { Array($0.utf8) }
    private static let seeds = [
        """
        BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTIMEZONE\r\nTZID:Here\r\nBEGIN:STANDARD\r\n\
        DTSTART:19701025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\n\
        END:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:19700329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n\
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:a\r\n\
        DTSTART;TZID=Here:20260301T100000\r\nDTEND;TZID=Here:20260301T110000\r\nRRULE:FREQ=WEEKLY;BYDAY=SU,WE;COUNT=20\r\n\
        EXDATE;TZID=Here:20260308T100000\r\nSUMMARY:Sport\\, and\r\n  more\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:a\r\n\
        RECURRENCE-ID;TZID=Here:20260304T100000\r\nDTSTART;TZID=Here:20260304T120000\r\nSUMMARY:Later\r\n\
        END:VEVENT\r\nEND:VCALENDAR\r\n
        """,
        """
        BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:b\nDTSTART;VALUE=DATE:20260228\nDURATION:P2D\n\
        RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;UNTIL=20270101\nEND:VEVENT\nBEGIN:VTODO\nUID:c\n\
        DUE:20260301T100000Z\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;RELATED=END:-PT15M\nEND:VALARM\nEND:VTODO\n\
        END:VCALENDAR\n
        """,
    ].map { Array($0.utf8) }

    func run(_ random: inout SplitMix64) async throws {
        let bytes = random.mutated(random.pick(Self.seeds), changes: 10, with: Self.pieces)
        if let stream = try? ContentStream(reading: Data(bytes)), stream.bytes != bytes {
            throw FuzzFailure("\(String(decoding: bytes, as: UTF8.self)) is written differently.")
        }
        let items = MemoryCollection(name: "calendar", suffix: "ics", content: Data(bytes))
        let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        let now = Date(timeIntervalSince1970: 1_772_359_200)
        let store = CalendarItems(items, timeZone: zone, now: { now }, newUID: { "new" })
        let days = Double(random.pick([1, 30, 400]))
        let events = try await store.events(in: DateInterval(start: now - 86_400, duration: days * 86_400))
        let reminders = ReminderItems(items, timeZone: zone, now: { now }, newUID: { "new" })
        _ = try await reminders.openReminders()
        guard let event = events.first else { return }
        var fields = EventFields()
        fields.title = "Another; title, with \\ signs"
        let scope = random.pick(EventScope.allCases)
        guard let change = try? await store.update(of: event.id, scope: scope, with: fields) else { return }
        try await items.apply(change)
        // A date that has a title of its own keeps it when the series is renamed.
        guard scope == .occurrence, let changed = try await store.event(event.id) else { return }
        guard changed.title == fields.title else { throw FuzzFailure("The title is \(changed.title).") }
    }
}

/// Damaged address books.
struct ContactFuzz: FuzzSubject {
    static let name = "contacts"

    private static let pieces = [
        "BEGIN:VCARD\r\n", "END:VCARD\r\n", "FN:Anna\r\n", "N:B;Anna;C;D;E\r\n", "TEL;TYPE=CELL:", "EMAIL;PREF=1:",
        "ORG:A;B\r\n", "item1.", "X-ABLabel:_$!<Mobile>!$_\r\n", "ENCODING=QUOTED-PRINTABLE", "CHARSET=ISO-8859-1",
        "=C3=BC", "=\r\n", "NICKNAME:", "VERSION:2.1\r\n", "VERSION:4.0\r\n", ";", ":", ",", "\\", "\"", "\r\n ",
        "\u{0}", "é", "tel:+49", "=", "==", "=ZZ",
    ].map { Array($0.utf8) }
    private static let seeds = [
        "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna Berg\r\nN:Berg;Anna;;;\r\nitem1.TEL:+49 1\r\nitem1.X-ABLabel:home\r\n"
            + "EMAIL;TYPE=WORK,PREF:a@b.c\r\nORG:Works;Hall\r\nEND:VCARD\r\n",
        "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg=\n Anna\nTEL;CELL:1\nEND:VCARD\n",
    ].map { Array($0.utf8) }

    func run(_ random: inout SplitMix64) async throws {
        var bytes = random.mutated(random.pick(Self.seeds), changes: 10, with: Self.pieces)
        if random.oneIn(10) { bytes += random.pick(Self.seeds) }
        let items = MemoryCollection(name: "contacts", suffix: "vcf", content: Data(bytes))
        let query = random.pick(["anna", "jörg berg", "a", "+49 1", "x y z", "\u{301}"])
        let found = try await ContactBook(items).contacts(matching: query, limit: 5)
        guard found.count <= 5 else { throw FuzzFailure("\(found.count) contacts were found.") }
    }
}

/// One item in memory.
private actor MemoryCollection: ItemCollection {
    nonisolated let name: String
    nonisolated let suffix: String
    private var content: Data?

    init(name: String, suffix: String, content: Data) {
        (self.name, self.suffix, self.content) = (name, suffix, content)
    }

    private var path: String { "personal/a.\(suffix)" }

    func paths() -> [String] { content == nil ? [] : [path] }

    func item(_ id: StoreItem.ID) -> StoreItem? {
        id.path == path ? content.map { StoreItem(id: id, content: $0) } : nil
    }

    func apply(_ change: Change<StoreItem>) throws {
        guard change.itemID?.path == path else { return }
        content = change.after?.content
    }
}
