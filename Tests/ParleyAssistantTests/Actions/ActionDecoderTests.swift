// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import ParleyConversation
import ParleyJSON
import Testing

@Suite("Actions read from payloads")
struct ActionDecoderTests {
    let decoder: ActionDecoder
    var clock: LocalClock { decoder.context.clock }

    init() throws { decoder = ActionDecoder(context: try DateResolverTests.context()) }

    func problems(_ tag: ActionTag, _ payload: JSONValue) -> [String: ActionProblem.Kind] {
        do {
            _ = try decoder.action(tag, payload)
            return [:]
        } catch {
            return Dictionary(error.problems.map { ($0.field, $0.kind) }, uniquingKeysWith: { first, _ in first })
        }
    }

    func time(of event: EventFields) -> String {
        switch event.time {
        case .timed(let interval)?: DateCorpus.text(.interval(interval), clock)
        case .allDay(let days)?: DateCorpus.text(.days(days), clock)
        case nil: "-"
        }
    }

    @Test(
        "The times of an event are in the user's words",
        arguments: [
            ("tomorrow at 3", "4 pm", nil, "2026-11-19T15:00/2026-11-19T16:00"),
            ("tomorrow at 3", "for two hours", nil, "2026-11-19T15:00/2026-11-19T17:00"),
            ("tomorrow at 6", "tomorrow at 8", nil, "2026-11-19T18:00/2026-11-19T20:00"),
            ("from 2 to 4 pm on Monday", nil, nil, "2026-11-23T14:00/2026-11-23T16:00"),
            ("2026-11-20T10:00", "2026-11-20T11:30", false, "2026-11-20T10:00/2026-11-20T11:30"),
            ("tomorrow", nil, nil, "2026-11-19"), ("tomorrow at 3", nil, true, "2026-11-19"),
            ("Friday", "Sunday", true, "2026-11-20..2026-11-22"), ("this weekend", nil, nil, "2026-11-21..2026-11-22"),
            ("10 pm", "2 am", nil, "2026-11-18T22:00/2026-11-19T02:00"),
        ] as [(String, String?, Bool?, String)])
    func times(_ start: String, _ end: String?, _ isAllDay: Bool?, _ expected: String) throws {
        var payload: JSONValue = ["action": "create", "title": "Tea", "start": .string(start)]
        payload["end"] = end.map { .string($0) }
        payload["isAllDay"] = isAllDay.map { .bool($0) }
        guard case .calendar(.create(let event)) = try decoder.action(.calendar, payload) else {
            Issue.record("no event")
            return
        }
        #expect(time(of: event) == expected)
        #expect(event.start?.words == start)
    }

    @Test("Every field of an event is read")
    func event() throws {
        let action = try decoder.action(
            .calendar,
            [
                "action": "create", "title": "Tea", "start": "Friday at 4 pm", "end": "5 pm", "location": "Home",
                "notes": "Milk", "reminderMinutes": 15, "recurrence": "weekly", "recurrenceEnd": "Christmas",
            ])
        guard case .calendar(.create(let event)) = action else {
            Issue.record("no event")
            return
        }
        #expect(
            event.title == "Tea" && event.location == "Home" && event.notes == "Milk" && event.reminderMinutes == 15)
        #expect(event.recurrence?.frequency == .weekly)
        #expect(event.recurrence?.until == CivilDate(year: 2026, month: 12, day: 25))
        guard
            case .calendar(.create(let spoken)) = try decoder.action(
                .calendar, ["action": "create", "title": "Tea", "start": "every other Tuesday from 2 to 4 pm"])
        else {
            Issue.record("no event")
            return
        }
        #expect(spoken.recurrence == Recurrence(.weekly, every: 2, on: [.tuesday]))
    }

    @Test(
        "What words say of a recurrence stays where the field names the same unit; their end stays in any case",
        arguments: [
            ("every other Tuesday", "weekly", "weekly/2 TU"), ("every Monday and Friday", "weekly", "weekly MO,FR"),
            ("every last Friday of the month", "monthly", "monthly -1FR"),
            ("every Tuesday until Christmas", "weekly", "weekly TU until 2026-12-25"),
            ("every day for 10 times", "daily", "daily x10"), ("every day for 10 times", "weekly", "weekly x10"),
            ("every Tuesday", "monthly", "monthly"), ("tomorrow", "weekly", "weekly"),
        ])
    func recurrences(_ start: String, _ field: String, _ expected: String) throws {
        let action = try decoder.action(
            .calendar,
            ["action": "create", "title": "Tea", "start": .string(start), "recurrence": .string(field)])
        guard case .calendar(.create(let event)) = action else {
            Issue.record("no event")
            return
        }
        #expect(event.recurrence.map { DateCorpus.text($0) } == expected)
    }

    @Test("Defaults are those of the specification")
    func defaults() throws {
        guard
            case .calendar(.query(let range, minutes: 60)) = try decoder.action(
                .calendar, ["action": "query", "start": "next week"])
        else {
            Issue.record("no query")
            return
        }
        #expect(DateCorpus.text(.interval(range), clock) == "2026-11-23T00:00/2026-11-30T00:00")
        #expect(try decoder.action(.webSearch, ["query": "x"]) == .webSearch(query: "x", maxResults: 5))
        #expect(try decoder.action(.habit, ["action": "log", "habit": "Run"]) == .habit(.log(habit: "Run", value: 1)))
        #expect(
            try decoder.action(.habit, ["action": "create", "name": "Run"])
                == .habit(.create(name: "Run", unit: .boolean, frequency: .daily, emoji: nil)))
        #expect(
            try decoder.action(.note, ["action": "create", "title": "T"])
                == .note(.create(title: "T", body: "", tags: [])))
        #expect(try decoder.action(.contacts, ["query": "Anna"]) == .contacts(query: "Anna"))
        #expect(
            try decoder.action(.note, ["action": "update", "id": "7", "body": ""])
                == .note(.update(.identifier("7"), title: nil, body: "", tags: nil)))
    }

    @Test("Each fault is told at its field, all of them at once")
    func faults() {
        #expect(problems(.calendar, ["action": "fly"]) == ["action": .value])
        #expect(problems(.calendar, [:]) == ["action": .missing])
        #expect(problems(.calendar, "x") == ["": .type])
        #expect(
            problems(.calendar, ["action": "create", "title": 7, "start": "soonish", "reminderMinutes": -1])
                == ["title": .type, "start": .date, "reminderMinutes": .value])
        let starts: [(JSONValue, [String: ActionProblem.Kind])] = [
            (["start": "tomorrow at 3"], ["end": .missing]),
            (["start": "tomorrow at 3", "end": "tomorrow at 2 pm"], ["end": .value]),
            (["start": "tomorrow", "isAllDay": false], ["start": .value]),
            (["start": "Sunday", "end": "Friday"], ["end": .value]),
            (["start": "30 February"], ["start": .date]),
            (["start": "tomorrow at 3", "end": "4 pm", "recurrenceEnd": "Friday"], ["recurrenceEnd": .value]),
            (["start": "tomorrow", "recurrence": "hourly"], ["recurrence": .value]),
        ]
        for (payload, expected) in starts {
            var payload = payload
            payload["action"] = "create"
            payload["title"] = "Tea"
            #expect(problems(.calendar, payload) == expected, "\(payload.text())")
        }
        #expect(problems(.calendar, ["action": "update", "search": "Tea"]) == ["": .missing])
        #expect(
            problems(.calendar, ["action": "update", "search": "Tea", "title": "Milk", "recurrenceEnd": "Friday"])
                == ["recurrenceEnd": .value])
        #expect(
            problems(
                .calendar,
                ["action": "reschedule", "eventIdentifier": "Tea", "start": "every Tuesday at 3 pm", "end": "4 pm"])
                == ["start": .value])
        #expect(problems(.calendar, ["action": "delete"]) == ["search": .missing])
        #expect(problems(.calendar, ["action": "list", "start": "tomorrow at 3"]) == ["end": .missing])
        #expect(problems(.note, ["action": "update", "body": "x"]) == ["search": .missing])
        #expect(problems(.note, ["action": "create", "title": " "]) == ["title": .value])
        #expect(problems(.note, ["action": "create", "title": "T", "tags": [1]]) == ["tags": .type])
        #expect(problems(.reminder, ["title": "T", "at": "yesterday at noon"]) == ["at": .past])
        #expect(problems(.reminder, ["title": "T", "at": "two hours ago"]) == ["at": .past])
        #expect(problems(.webSearch, ["query": "x", "maxResults": 50]) == ["maxResults": .value])
        #expect(problems(.habit, ["action": "log", "habit": "x", "value": "y"]) == ["value": .type])
    }

    @Test("An empty text in a field that may be missing counts as missing, but not where that would delete more")
    func emptyTexts() throws {
        let filled: JSONValue = [
            "action": "create", "title": "Tea", "start": "tomorrow at 3 pm", "end": "4 pm", "location": "",
            "notes": " ",
            "reminderMinutes": "", "isAllDay": "", "recurrence": "", "recurrenceEnd": "",
        ]
        let plain: JSONValue = ["action": "create", "title": "Tea", "start": "tomorrow at 3 pm", "end": "4 pm"]
        #expect(try decoder.action(.calendar, filled) == decoder.action(.calendar, plain))
        #expect(
            try decoder.action(.calendar, ["action": "list", "start": "tomorrow", "end": ""])
                == decoder.action(.calendar, ["action": "list", "start": "tomorrow"]))
        #expect(
            try decoder.action(
                .note, ["action": "update", "id": "", "search": "Gate", "title": "", "body": "", "tags": ""])
                == .note(.update(.search("Gate"), title: nil, body: "", tags: nil)))
        #expect(try decoder.action(.habit, ["action": "query", "habit": ""]) == .habit(.query(habit: nil)))
        #expect(problems(.calendar, ["action": "update", "search": "Tea", "title": ""]) == ["": .missing])
        #expect(problems(.calendar, ["action": "delete", "search": "", "start": "tomorrow"]) == ["search": .value])
        #expect(problems(.calendar, ["action": "delete", "search": "", "start": ""]) == ["search": .value])
    }

    @Test(
        "A reminder on a day is one on its morning, and one of today in what is left of it",
        arguments: [
            ("tomorrow", 0, "2026-11-19T09:00"), ("today", 0, "2026-11-18T18:00"), ("today", 4, "2026-11-18T21:00"),
        ])
    func reminder(words: String, later hours: Int, time: String) throws {
        var decoder = decoder
        decoder.context.now += Double(hours) * 3600
        let action = try decoder.action(.reminder, ["title": "T", "at": .string(words)])
        guard case .reminder(_, _, let at) = action else {
            Issue.record("no reminder")
            return
        }
        #expect(DateCorpus.text(at.instant, clock) == time)
        #expect(at.resolution.assumptions == [.partOfDay])
    }

    @Test("A block and a function call lead to the same action")
    func blockAndCall() throws {
        let reply = #"[CALENDAR_ACTION:{"action":"delete","search":"Tea"}]"#
        let tag = try #require(ActionTag(functionName: "calendar_action"))
        for case .block(let block) in ActionBlockScanner.parts(of: reply) {
            let action = try decoder.action(block)
            #expect(action == .calendar(.delete(search: "Tea")))
            #expect(try decoder.action(tag, ["action": "delete", "search": "Tea"]) == action)
        }
        for case .block(let block) in ActionBlockScanner.parts(of: "[NOTE_ACTION:{") {
            #expect(throws: ActionError.self) { try decoder.action(block) }
        }
    }

    @Test("Every tag has a function whose schema names the fields", arguments: ActionTag.allCases)
    func schemas(_ tag: ActionTag) throws {
        #expect(ActionTag(functionName: tag.function.name) == tag)
        let options = tag.schema.value["anyOf"]?.array ?? [tag.schema.value]
        for option in options {
            let properties = try #require(option["properties"]?.object)
            let required = try #require(option["required"]?.array)
            #expect(required.allSatisfy { properties[$0.string ?? ""] != nil })
            #expect(option["additionalProperties"] == false)
            // What has the required fields, each with a value of its kind, is an action.
            var payload: JSONValue = [:]
            for name in required.compactMap(\.string) {
                payload[name] =
                    properties[name]?["enum"]?[0]
                    ?? (["start", "at"].contains(name) ? "tomorrow" : name == "end" ? "Sunday" : "x")
            }
            if ["update"].contains(payload["action"]?.string) { payload["title"] = "y" }
            _ = try decoder.action(tag, payload)
        }
    }

    @Test("By default making is automatic, changing and deleting ask, and after untrusted text all writing asks")
    func policy() throws {
        var policy = ActionPolicy()
        let create = try decoder.action(.note, ["action": "create", "title": "T"])
        let delete = try decoder.action(.note, ["action": "delete", "id": "1"])
        let search = try decoder.action(.note, ["action": "search", "query": "x"])
        let web = try decoder.action(.webSearch, ["query": "x"])
        #expect(
            [create, delete, search, web].map { policy.decision(for: $0, readsUntrusted: false) }
                == [.automatic, .ask, .automatic, .automatic])
        #expect(
            [create, delete, search, web].map { policy.decision(for: $0, readsUntrusted: true) }
                == [.ask, .ask, .automatic, .ask])
        policy.set(.note, .deny)
        #expect(policy.decision(for: create, readsUntrusted: true) == .deny)
        #expect([create, delete, search, web].map(\.isReading) == [false, false, true, true])
    }
}
