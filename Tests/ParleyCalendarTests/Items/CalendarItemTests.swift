// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Testing

@Suite("Events, to-dos, alarms and free time")
struct CalendarItemTests {
    static let text = """
        BEGIN:VCALENDAR
        METHOD:publish
        BEGIN:VEVENT
        UID:one
        SEQUENCE:3
        DTSTAMP:20260101T000000Z
        SUMMARY:Tea\\, with\\nmilk
        DESCRIPTION;LANGUAGE=en:long
        LOCATION:Here
        CATEGORIES:A,B\\,C
        CATEGORIES:D
        STATUS:confirmed
        TRANSP:TRANSPARENT
        DTSTART;TZID="Europe/Berlin";X-A=1:20260307T100000
        DURATION:PT1H
        RRULE:FREQ=DAILY
        RDATE;VALUE=PERIOD:20260401T100000Z/PT2H,20260402T100000Z/20260402T110000Z
        EXDATE;TZID=Europe/Berlin:20260308T100000,20260309T100000
        BEGIN:VALARM
        ACTION:display
        TRIGGER;RELATED=END:-PT10M
        REPEAT:2
        DURATION:PT5M
        END:VALARM
        BEGIN:VALARM
        ACTION:AUDIO
        TRIGGER;VALUE=DATE-TIME:20260307T080000Z
        END:VALARM
        END:VEVENT
        BEGIN:VEVENT
        UID:one
        RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260310
        DTSTART;VALUE=DATE:20260311
        END:VEVENT
        BEGIN:VTODO
        UID:two
        DUE;VALUE=DATE:20260311
        PRIORITY:1
        PERCENT-COMPLETE:40
        END:VTODO
        BEGIN:VFREEBUSY
        FREEBUSY;FBTYPE=busy-tentative:20260101T080000Z/PT1H,20260101T100000Z/20260101T110000Z
        END:VFREEBUSY
        END:VCALENDAR

        """

    private func calendar() throws -> CalendarObject { try CalendarObject(reading: Array(Self.text.utf8)) }

    @Test("Everything that is known is told")
    func read() throws {
        let calendar = try calendar()
        #expect(calendar.method == "PUBLISH")
        let event = calendar.events[0]
        #expect(event.uid == "one")
        #expect(event.sequence == 3)
        #expect(event.stamp?.text == "20260101T000000Z")
        #expect(event.summary == "Tea, with\nmilk")
        #expect(event.details == "long")
        #expect(event.location == "Here")
        #expect(event.categories == ["A", "B,C", "D"])
        #expect(event.status == "CONFIRMED")
        #expect(event.isTransparent)
        #expect(event.start?.text == "20260307T100000")
        #expect(event.duration == CalendarDuration(seconds: 3600))
        #expect(event.end == nil)
        #expect(try event.rules().map(\.frequency) == [.daily])
        #expect(event.additions.compactMap(\.period).count == 2)
        #expect(event.exceptions.map(\.text) == ["20260308T100000", "20260309T100000"])
        #expect(event.recurs)
        #expect(!event.isAllDay)
    }

    @Test("Overrides, alarms, to-dos and free time are told")
    func others() throws {
        let calendar = try calendar()
        let override = calendar.events[1]
        #expect(override.changesLaterOnes)
        #expect(override.recurrenceID?.text == "20260310")
        #expect(override.isAllDay)
        let alarms = calendar.events[0].alarms
        #expect(alarms.map(\.action) == ["DISPLAY", "AUDIO"])
        #expect(alarms[0].trigger == .end(CalendarDuration(seconds: -600)))
        #expect(alarms[0].repetition?.count == 2)
        #expect(alarms[1].trigger == .at(CivilTime(seconds: 1_772_870_400)))
        let toDo = calendar.toDos[0]
        #expect(toDo.due?.text == "20260311")
        #expect(toDo.priority == 1)
        #expect(toDo.percent == 40)
        #expect(calendar.freeBusy[0].intervals.map(\.kind) == ["BUSY-TENTATIVE", "BUSY-TENTATIVE"])
    }

    @Test("Setting a value writes its line alone; setting what is there writes nothing")
    func set() throws {
        var event = try calendar().events[0]
        let before = String(decoding: event.component.bytes, as: UTF8.self)
        event.summary = "Tea, with\nmilk"
        event.details = "long"
        event.location = "Here"
        #expect(String(decoding: event.component.bytes, as: UTF8.self) == before)
        event.details = "short, new"
        event.start = .date(CivilDate(dayNumber: 20_000))
        event.categories = ["E"]
        let expected =
            before.replacing("LANGUAGE=en:long", with: "LANGUAGE=en:short\\, new")
            .replacing(
                #"DTSTART;TZID="Europe/Berlin";X-A=1:20260307T100000"#, with: "DTSTART;VALUE=DATE;X-A=1:20241004"
            )
            .replacing("CATEGORIES:A,B\\,C\nCATEGORIES:D\n", with: "CATEGORIES:E\n")
        #expect(String(decoding: event.component.bytes, as: UTF8.self) == expected)
    }

    @Test("What is made new is read with the same values")
    func made() throws {
        let start = try #require(CalendarTime("20260307T100000", zone: "Europe/Berlin"))
        let now = CivilTime(seconds: 1_770_000_000)
        var event = CalendarEvent(uid: "u,1", start: start, end: nil, summary: "A; b", stamp: now)
        event.duration = CalendarDuration(seconds: 5400)
        event.add(CalendarAlarm(.start(CalendarDuration(seconds: -900)), text: "Soon, it is"))
        event.add(CalendarAlarm(.at(now), text: "Now"))
        var toDo = CalendarToDo(uid: "u2", due: .date(start.civil.date), summary: "Do", stamp: now)
        toDo.complete(at: now)
        var calendar = CalendarObject(product: "-//Tests//EN")
        calendar.add(event)
        calendar.add(toDo)
        let read = try CalendarObject(reading: calendar.bytes)
        #expect(read == calendar)
        #expect(read.events[0].uid == "u,1")
        #expect(read.events[0].span == ItemSpan(start: start, length: .duration(CalendarDuration(seconds: 5400))))
        #expect(read.events[0].alarms.map(\.trigger) == [.start(CalendarDuration(seconds: -900)), .at(now)])
        #expect(read.toDos[0].status == "COMPLETED")
        #expect(read.component.components("VTIMEZONE").map { $0["TZID"]?.value } == ["Europe/Berlin"])
        #expect(read.bytes.split(separator: 10).allSatisfy { $0.count <= 76 && $0.last == 13 })
    }
}
