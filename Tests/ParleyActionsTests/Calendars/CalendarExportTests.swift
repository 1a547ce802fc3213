// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyConversation
import ParleyTestSupport
import Testing

@Suite("Exported files as CalendarItems")
struct CalendarExportTests: CalendarSuite {
    @Test("an item of several events, as programs export them, has an identifier for each")
    func exported() async throws {
        let items = ItemsInMemory([
            "all.ics": calendar(
                "UID:a b\nDTSTART:20260302T090000Z\nSUMMARY:A", "UID:c\nDTSTART:20260302T100000Z\nSUMMARY:C",
                "UID:d\nDTSTART;TZID=\"My Zone: 1\":20260302T120000\nRRULE:FREQ=DAILY\nSUMMARY:D")
        ])
        let store = items.calendar
        let found = try await store.events(in: range("2026-03-02", "2026-03-04"))
        #expect(found.map(\.title) == ["A", "C", "D", "D"])
        #expect(Set(found.map(\.id)).count == 4)
        for event in found { #expect(try await store.event(event.id) == event) }
        try await store.apply(try await store.deletion(of: found[1].id, scope: .series))
        #expect(try await store.events(in: range("2026-03-02", "2026-03-04")).map(\.title) == ["A", "D", "D"])
    }

    @Test("in a file of several events each is found, clashes with the others, and is moved itself")
    func severalEvents() async throws {
        let items = ItemsInMemory([
            "export.ics": calendar(
                "UID:a\nDTSTART:20260303T090000Z\nDTEND:20260303T100000Z\nSUMMARY:Dentist",
                "UID:b\nDTSTART:20260305T090000Z\nDTEND:20260305T100000Z\nSUMMARY:Dentist again")
        ])
        let stores = AssistantStores(calendar: items.calendar)
        let context = DateContext(
            now: ItemsInMemory.now, timeZone: ItemsInMemory.berlin, locale: Locale(identifier: "en_DE"))
        var fields = EventFields()
        fields.time = .timed(DateInterval(start: ItemsInMemory.date("2026-03-05T09:00:00Z"), duration: 3600))
        let plan = try await ActionPlanner(stores: stores, context: context)
            .plan(.calendar(.reschedule(identifier: "dentist", fields)))
        #expect(plan.items.map(\.title) == ["Dentist"])
        #expect(plan.alternatives.map(\.title) == ["Dentist again"])
        #expect(plan.conflicts.map(\.title) == ["Dentist again"])

        let directory = try TemporaryDirectory()
        let log = try ActionLog(at: directory.url.appending(path: "actions.jsonl"))
        let runner = await ActionRunner(stores: stores, log: log) { context }
        let block = #"[CALENDAR_ACTION:{"action":"update","search":"again","start":"2026-03-03 10:00"}]"#
        let reply = FinishedReply(chat: "c", message: "m", text: block, finish: .stop, readsUntrusted: false)
        let card = try #require(await runner.run(reply).cards.first)
        #expect(card.plan.conflicts.map(\.title) == ["Dentist"])
        _ = await runner.handle(.confirm, of: card.id)
        let moved = try #require(await runner.handle(.reschedule(0), of: card.id).card)
        #expect(moved.confirmation?.state == .rescheduled)
        let events = try await items.calendar.events(in: range("2026-03-01", "2026-03-10"))
        #expect(events.map(\.title) == ["Dentist", "Dentist again"])
        #expect(times(events) == ["2026-03-03T09:00:00Z 60", "2026-03-03T10:00:00Z 60"])
    }

    @Test("a series that clashes moves to a free time with all its dates, and no other series of the file")
    func severalSeries() async throws {
        let items = ItemsInMemory([
            "export.ics": calendar(
                "UID:a\nDTSTART:20260202T090000Z\nDTEND:20260202T100000Z\nRRULE:FREQ=WEEKLY\nSUMMARY:Yoga on Mondays",
                "UID:b\nDTSTART:20260206T090000Z\nDTEND:20260206T100000Z\nRRULE:FREQ=WEEKLY\nSUMMARY:Yoga",
                "UID:c\nDTSTART:20260306T120000Z\nDTEND:20260306T130000Z\nSUMMARY:Lunch")
        ])
        let stores = AssistantStores(calendar: items.calendar)
        let context = DateContext(
            now: ItemsInMemory.date("2026-03-05T08:00:00Z"), timeZone: ItemsInMemory.berlin,
            locale: Locale(identifier: "en_DE"))
        let directory = try TemporaryDirectory()
        let log = try ActionLog(at: directory.url.appending(path: "actions.jsonl"))
        let runner = await ActionRunner(stores: stores, log: log) { context }
        let block = #"[CALENDAR_ACTION:{"action":"update","search":"yoga","start":"2026-03-06 13:00"}]"#
        let reply = FinishedReply(chat: "c", message: "m", text: block, finish: .stop, readsUntrusted: false)
        let card = try #require(await runner.run(reply).cards.first)
        #expect(card.plan.items.map(\.title) == ["Yoga"])
        #expect(card.plan.alternatives.map(\.title) == ["Yoga on Mondays"])
        _ = await runner.handle(.scope(.series), of: card.id)
        let whole = try #require(await runner.handle(.confirm, of: card.id).card)
        #expect(whole.plan.conflicts.map(\.title) == ["Lunch"])
        let moved = try #require(await runner.handle(.reschedule(0), of: card.id).card)
        #expect(moved.confirmation?.state == .rescheduled && moved.failure == nil)
        let slot = try #require(whole.plan.freeSlots.first).start.ISO8601Format().dropFirst(10)
        let events = try await items.calendar.events(in: range("2026-02-01", "2026-03-14"))
        #expect(
            times(events.filter { $0.title == "Yoga" })
                == ["02-06", "02-13", "02-20", "02-27", "03-06", "03-13"].map { "2026-\($0)\(slot) 60" })
        #expect(
            times(events.filter { $0.title == "Yoga on Mondays" })
                == ["02-02", "02-09", "02-16", "02-23", "03-02", "03-09"].map { "2026-\($0)T09:00:00Z 60" })
    }

    @Test("of a file with several calendars every event is found, and a change of one keeps the bytes of the others")
    func severalCalendars() async throws {
        let (first, between, second) = (
            calendar("UID:a\nDTSTART:20260302T090000Z\nSUMMARY:A"), "X-BETWEEN:kept\n\n",
            calendar("UID:b\nDTSTART:20260303T090000Z\nSUMMARY:B", "UID:c\nDTSTART:20260304T090000Z\nSUMMARY:C")
        )
        let items = ItemsInMemory(["all.ics": first + between + second])
        let store = items.calendar
        let found = try await store.events(in: range("2026-03-01", "2026-03-10"))
        #expect(found.map(\.title) == ["A", "B", "C"])
        for event in found { #expect(try await store.event(event.id) == event) }
        for (event, text) in zip(found, [first, second, second]) {
            let change = try await store.update(of: event.id, scope: .series, with: fields { $0.title = "New" })
            let after = String(decoding: try #require(change.after).content, as: UTF8.self)
                .replacing("\r\n", with: "\n")
            #expect(after.contains("SUMMARY:New") && after.contains(between))
            #expect(after.contains(text == first ? second : first))
        }
        // What is left of the file once a calendar has nothing any more is the other one.
        let change = try await store.deletion(of: found[0].id, scope: .series)
        #expect(change.after?.content == Data((between + second).replacing("\n", with: "\r\n").utf8))
        let all = try await store.deletions(of: found.map(\.id))
        #expect(all.count == 1 && all[0].after == nil)
        let two = try await store.deletions(of: [found[0].id, found[2].id])
        #expect(two.count == 1)
        try await store.apply(try #require(two.first))
        #expect(try await store.events(in: range("2026-03-01", "2026-03-10")).map(\.title) == ["B"])
        #expect(await items.lines("all.ics").contains("X-BETWEEN:kept"))
    }

    @Test("of a series that a file has in two versions, the later one is shown, changed and deleted")
    func versions() async throws {
        let rule = "RRULE:FREQ=DAILY;COUNT=2\nSUMMARY"
        let items = ItemsInMemory([
            "all.ics": calendar(
                "UID:a\nDTSTART:20260302T090000Z\n\(rule):Old",
                "UID:a\nDTSTART:20260302T100000Z\n\(rule):New\nSEQUENCE:1")
        ])
        let store = items.calendar
        let whole = range("2026-03-01", "2026-03-10")
        let found = try await store.events(in: whole)
        #expect(found.map(\.title) == ["New", "New"])
        let id = try #require(found.first?.id)
        try await store.apply(try await store.update(of: id, scope: .series, with: fields { $0.title = "Newer" }))
        #expect(try await store.events(in: whole).map(\.title) == ["Newer", "Newer"])
        try await store.apply(try await store.deletion(of: id, scope: .occurrence))
        #expect(try await times(store.events(in: whole)) == ["2026-03-03T10:00:00Z 0"])
    }

    @Test("events without a UID are told apart, in changes and in deletions of several")
    func withoutUID() async throws {
        let text = calendar(
            "DTSTART;VALUE=DATE:20260303\nSUMMARY:Paper", "DTSTART;VALUE=DATE:20260303\nSUMMARY:Glass",
            "DTSTART;VALUE=DATE:20260304\nRRULE:FREQ=WEEKLY;COUNT=2\nSUMMARY:Bio",
            "DTSTART;VALUE=DATE:20260305\nRRULE:FREQ=WEEKLY;COUNT=2\nSUMMARY:Rest")
        let items = ItemsInMemory(["bins.ics": text])
        let store = items.calendar
        let whole = range("2026-03-01", "2026-03-10")
        let found = try await store.events(in: whole)
        #expect(found.map(\.title) == ["Paper", "Glass", "Bio", "Rest"])
        for event in found { #expect(try await store.event(event.id) == event) }
        let change = try await store.update(of: found[3].id, scope: .series, with: fields { $0.title = "Other" })
        try await store.apply(change)
        #expect(try await store.events(in: whole).map(\.title) == ["Paper", "Glass", "Bio", "Other"])
        try await store.apply(change.inverse)
        // A date of a series without a UID is moved, found again, and deleted with its series.
        let late = try await store.update(of: found[2].id, scope: .occurrence, with: fields { $0.title = "Bio, late" })
        try await store.apply(late)
        #expect(try await store.events(in: whole).map(\.title) == ["Paper", "Glass", "Bio, late", "Rest"])
        #expect(try await store.event(found[2].id)?.title == "Bio, late")
        #expect(try await store.event(found[3].id) == found[3])
        let series = try await store.deletion(of: found[2].id, scope: .series)
        try await store.apply(series)
        #expect(try await store.events(in: whole).map(\.title) == ["Paper", "Glass", "Rest"])
        try await store.apply(series.inverse)
        try await store.apply(late.inverse)
        try await store.apply(try await store.deletion(of: found[3].id, scope: .occurrence))
        #expect(try await store.events(in: whole).map(\.title) == ["Paper", "Glass", "Bio"])
        for change in try await store.deletions(of: [found[0].id, found[1].id]) { try await store.apply(change) }
        #expect(try await store.events(in: range("2026-03-01", "2026-04-01")).map(\.title) == ["Bio", "Bio", "Rest"])
    }

    @Test("events of several calendars with the same key, or none, are told apart, and equal ones go one by one")
    func equalKeys() async throws {
        let paper = "DTSTART;VALUE=DATE:20260303\nSUMMARY:Paper"
        let items = ItemsInMemory([
            "bins.ics": calendar(paper, "DTSTART;VALUE=DATE:20260304\nSUMMARY:Glass", paper)
                + calendar("DTSTART;VALUE=DATE:20260305\nSUMMARY:Bio", "UID:a\nDTSTART;VALUE=DATE:20260306\nSUMMARY:A")
                + calendar("UID:a\nDTSTART;VALUE=DATE:20260307\nSUMMARY:Another A") + calendar()
        ])
        let store = items.calendar
        let whole = range("2026-03-01", "2026-03-10")
        let found = try await store.events(in: whole)
        #expect(found.map(\.title) == ["Paper", "Paper", "Glass", "Bio", "A", "Another A"])
        #expect(Set(found.map(\.id)).count == found.count)
        for event in found { #expect(try await store.event(event.id)?.title == event.title) }
        try await store.apply(try await store.deletion(of: found[3].id, scope: .series))
        #expect(try await store.events(in: whole).map(\.title) == ["Paper", "Paper", "Glass", "A", "Another A"])
        let changes = try await store.deletions(of: [found[0], found[1], found[2], found[5]].map(\.id))
        for change in changes { try await store.apply(change) }
        #expect(try await store.events(in: whole).map(\.title) == ["A"])
        // A calendar in which nothing was changed stays, also an empty one.
        #expect(await items.lines("bins.ics").count { $0 == "BEGIN:VCALENDAR" } == 2)
    }
}
