// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyJSON
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("Actions on stores", .timeLimit(.minutes(15)))
struct ActionRowTests {
    @Test("A conflict is found before the event is made; free and cancelled events are none, adjacent ones neither")
    func conflict() async throws {
        let bench = try await Bench()
        try bench.add("Before", 1, 14, 15)
        try bench.add("Clash", 1, 15, 17)
        try bench.add("Free", 1, 15, 17, isBusy: false)
        try bench.add("After", 1, 17, 18)
        let card = try await bench.card(
            .calendar, #"{"action":"create","title":"New","start":"tomorrow at 15:00","end":"17:00"}"#)
        #expect(card.plan.conflicts.map(\.title) == ["Clash"] && card.confirmation?.state == .created)
        let slots = card.plan.freeSlots
        #expect(slots.count == 5 && slots.allSatisfy { $0.duration == 7200 })
        let evening = try bench.time(1, 18)
        #expect(slots.first?.start == evening)
        #expect(Set(card.choices.map(\.key)) == ["k", "x", "1", "2", "3", "4", "5"])
        let moved = try await bench.handle(.reschedule(1), card)
        #expect(moved.confirmation?.state == .rescheduled && moved.choices.map(\.event) == [.undo])
        #expect(moved.json(in: bench.context)["conflicts"] == [])
        let event = try #require(try await bench.events().first { $0.title == "New" })
        #expect(event.time == .timed(slots[1]) && moved.plan.outcome?.time == event.time)
        let back = try await bench.handle(.undo, moved)
        // It is in conflict as before, and can be moved, kept or deleted as before.
        #expect(back.choices == card.choices && back.status == "Done")
        let json = back.json(in: bench.context)
        #expect(json["conflicts"]?[0]?["title"] == "Clash" && json["free_slots"]?.array?.count == 5)
        let label = try #require(json["choices"]?[2]?["label"]?.string)
        #expect(label.hasPrefix("Move to tomorrow, ") && label.hasSuffix(", 18:00–20:00"))
        let again = try #require(try await bench.events().first { $0.title == "New" })
        #expect(back.plan.outcome?.time == again.time && again.time != event.time)
        #expect(try await bench.handle(.cancelConflict, back).confirmation?.state == .deleted)
        #expect(try await !bench.events().contains { $0.title == "New" })
    }

    @Test("The last entry of a card takes back what was done last, a deletion of what was created too")
    func entries() async throws {
        let bench = try await Bench()
        let card = try await bench.card(.note, #"{"action":"create","title":"Gate","body":"4711"}"#)
        #expect(card.logEntry == 1)
        let deleted = try #require(try await bench.runner.undo(1))
        #expect(deleted.status == "Taken back" && deleted.logEntry == 2)
        let back = try #require(try await bench.runner.undo(2))
        #expect(back.status == "Back again" && back.logEntry == 3)
        #expect(try await bench.notes.notes(limit: 5).map(\.title) == ["Gate"])
    }

    @Test("A conflict is kept, or the new event deleted")
    func conflictChoices() async throws {
        for (event, state, count) in [
            (ActionCard.Event.keepConflict, "created", 2), (.cancelConflict, "deleted", 1),
        ] {
            let bench = try await Bench()
            try bench.add("Clash", 1, 15, 17)
            let card = try await bench.card(
                .calendar, #"{"action":"create","title":"New","start":"tomorrow at 15:00","end":"17:00"}"#)
            let after = try await bench.handle(event, card)
            #expect(after.confirmation?.state.rawValue == state && after.confirmation?.conflicts.isEmpty == true)
            #expect(try await bench.events().count == count)
        }
    }

    @Test("An event is moved over itself without a conflict")
    func itself() async throws {
        let bench = try await Bench()
        try bench.add("Lunch", 1, 12, 14)
        let card = try await bench.card(
            .calendar, #"{"action":"update","search":"lunch","start":"tomorrow at 13:00","end":"15:00"}"#)
        #expect(card.plan.conflicts.isEmpty && card.plan.movesTime && card.confirmation?.state == .pendingUpdate)
        #expect(try await bench.handle(.confirm, card).confirmation?.state == .rescheduled)
        #expect(try await bench.events().first?.time == .timed(try bench.interval(1, 13, 15)))
    }

    @Test("A new start alone keeps the length and, without a day, the day")
    func partialTimes() async throws {
        for (fields, expected) in [
            (#""start":"17:00""#, [5, 17, 19]), (#""end":"15:00""#, [5, 12, 15]),
            (#""start":"tomorrow at 9:00""#, [1, 9, 11]),
        ] {
            let bench = try await Bench()
            try bench.add("Lunch", 5, 12, 14)
            let card = try await bench.card(.calendar, #"{"action":"update","search":"lunch",\#(fields)}"#)
            let wanted = try bench.interval(expected[0], expected[1], expected[2])
            #expect(card.plan.outcome?.time == .timed(wanted), "\(fields) \(card.failure ?? "")")
        }
    }

    @Test("One date of a series, the series, and dates of several kinds in a range")
    func series() async throws {
        let bench = try await Bench()
        try bench.add("Standup", 0, 16, 17, every: 1, count: 5)
        try bench.add("Single", 1, 10, 11)
        var card = try await bench.card(.calendar, #"{"action":"delete","search":"standup"}"#)
        let today = try bench.interval(0, 16, 17)
        #expect(card.plan.scope == .occurrence && card.plan.items.first?.time == .timed(today))
        card = try await bench.handle(.confirm, card)
        #expect(card.confirmation?.state == .deleted)
        #expect(try await bench.events().count == 5)
        card = try await bench.handle(.undo, card)
        #expect(try await bench.events().count == 6)
        var whole = try await bench.card(.calendar, #"{"action":"delete","search":"standup"}"#, message: "m2")
        whole = try await bench.handle(.confirm, try await bench.handle(.scope(.series), whole))
        #expect(try await bench.events().map(\.title) == ["Single"])
        _ = try await bench.handle(.undo, whole)
        let range = try await bench.card(
            .calendar, #"{"action":"delete","start":"2026-11-19","end":"2026-11-20"}"#, message: "m3")
        #expect(range.plan.items.count == 3 && range.confirmation?.state == .pendingDeletion)
        #expect(try await bench.handle(.confirm, range).confirmation?.state == .deleted)
        #expect(try await bench.events().count == 3)
    }

    @Test("An event is rescheduled by its identifier; what is gone meanwhile cancels the update with an error")
    func reschedule() async throws {
        let bench = try await Bench()
        let id = try bench.add("Lunch", 1, 12, 13)
        let payload = #"{"action":"reschedule","eventIdentifier":"\#(id)","start":"Friday at 12:00","end":"13:00"}"#
        let card = try await bench.card(.calendar, payload)
        #expect(card.plan.items.map(\.title) == ["Lunch"] && card.confirmation?.state == .pendingUpdate)
        bench.items.set(id.item, nil)
        let after = try await bench.handle(.confirm, card)
        #expect(after.confirmation?.state == .updateCancelled && after.confirmation?.failures.count == 1)
        let note = StoredEvent.ID(item: StoreItem.ID(store: "calendar", path: "a#b%23/c.ics"), recurrence: "2026#1")
        #expect(StoredEvent.ID(note.description) == note)
    }

    @Test("What has changed since the card was shown is shown again before anything is written")
    func changed() async throws {
        let bench = try await Bench()
        let id = try bench.add("Lunch", 1, 12, 13)
        let card = try await bench.card(.calendar, #"{"action":"delete","search":"lunch"}"#)
        let item = try #require(bench.items.item(id.item))
        bench.items.set(id.item, item.content + Data(" ".utf8))
        let again = try await bench.handle(.confirm, card)
        #expect(again.isWaiting && again.failure != nil && bench.items.made.isEmpty)
        #expect(try await bench.handle(.confirm, again).confirmation?.state == .deleted)
    }

    @Test("Reading shows events, free times, notes, contacts and habits")
    func reading() async throws {
        let contacts = (0..<7).map {
            StoredContact(id: StoreItem.ID(store: "contacts", path: "\($0)"), name: "Anna \($0)")
        }
        let bench = try await Bench(contacts: contacts)
        try bench.add("Lunch", 1, 12, 13)
        for number in 0..<7 { try bench.notes.add(MemoryNotes.Note(title: "Tea \(number)", body: "x")) }
        try bench.habits.add(MemoryHabits.Habit(name: "Running"))
        let cases: [(ActionTag, String, Int)] = [
            (.calendar, #"{"action":"list","start":"tomorrow"}"#, 1),
            (.calendar, #"{"action":"query","start":"tomorrow","durationMinutes":120}"#, 5),
            (.note, #"{"action":"search","query":"tea"}"#, 5), (.contacts, #"{"query":"anna"}"#, 5),
            (.habit, #"{"action":"query"}"#, 1),
        ]
        for (tag, payload, count) in cases {
            let card = try await bench.card(tag, payload, message: payload)
            #expect(card.stage == .done && card.confirmation == nil && bench.items.attempts == 9)
            let items = card.json(in: bench.context)["results"]?["items"]?.array
            #expect(items?.count == count, "\(payload)")
        }
        #expect(await bench.runner.log.entries().isEmpty)
    }

    @Test("A habit has one value a day, which is updated")
    func habit() async throws {
        let bench = try await Bench()
        try bench.habits.add(MemoryHabits.Habit(name: "Running", unit: "count"))
        for (message, value) in [("m1", "2"), ("m2", "5")] {
            let card = try await bench.card(
                .habit, #"{"action":"log","habit":"running","value":\#(value)}"#, message: message)
            #expect(card.confirmation?.state == .updated)
        }
        let values = try await bench.habits.habits().first?.values
        #expect(values.map { Array($0.values) } == [5])
    }

    @Test("A reminder in the past is refused, and can be corrected")
    func reminder() async throws {
        let bench = try await Bench()
        let card = try await bench.card(.reminder, #"{"title":"A","at":"yesterday at 9:00"}"#)
        #expect(card.stage == .malformed && card.problems.map(\.kind) == [.past])
        let good = try await bench.handle(.correct(#"{"title":"A","at":"tomorrow at 9:00"}"#), card)
        #expect(good.stage == .proposed && bench.items.made.isEmpty)
        #expect(try await bench.handle(.confirm, good).confirmation?.state == .created)
    }

    @Test("A malformed block is a card that can be edited", arguments: [#"{"action":"#, #"{"action":"fly"}"#, ""])
    func malformed(_ payload: String) async throws {
        let bench = try await Bench()
        let outcome = await bench.runner.run(bench.reply("Look: [NOTE_ACTION:\(payload)]"))
        let card = try #require(outcome.cards.first)
        #expect(card.stage == .malformed && !card.problems.isEmpty && card.action == nil && bench.items.attempts == 0)
        let fixed = try await bench.handle(.correct(#"[NOTE_ACTION:{"action":"create","title":"A"}]"#), card)
        #expect(fixed.isWaiting)
        #expect(try await bench.handle(.confirm, fixed).confirmation?.state == .created)
    }

    @Test("A missing store is told in a plain word", arguments: ActionTag.allCases)
    func missing(_ tag: ActionTag) async throws {
        let payloads: [ActionTag: String] = [
            .webSearch: #"{"query":"a"}"#, .calendar: #"{"action":"delete","search":"a"}"#,
            .note: #"{"action":"create","title":"a"}"#, .contacts: #"{"query":"a"}"#,
            .habit: #"{"action":"query"}"#, .reminder: #"{"title":"a","at":"tomorrow at 9:00"}"#,
        ]
        let bench = try await Bench()
        let runner = await ActionRunner(stores: AssistantStores(), log: bench.runner.log) { bench.context }
        let outcome = await runner.run(bench.reply("[\(tag.rawValue):\(payloads[tag] ?? "")]"))
        #expect(outcome.cards.first?.stage == .failed)
        #expect(outcome.cards.first?.failure?.hasPrefix("No ") == true)
        #expect(AssistantStores().functions.isEmpty && bench.stores.functions.count == 6)
    }

    @Test("A dry run plans and shows, and writes nothing, whatever is chosen")
    func dryRun() async throws {
        var settings = ActionRunner.Settings()
        settings.isDryRun = true
        let bench = try await Bench(settings)
        let card = try await bench.card(.note, #"{"action":"create","title":"A"}"#)
        #expect(card.stage == .planned && card.plan.changes.count == 1)
        for event: ActionCard.Event in [.confirm, .undo, .reschedule(0), .cancelConflict] {
            #expect(try await bench.handle(event, card).stage == .planned)
        }
        #expect(bench.items.attempts == 0)
        #expect(await bench.runner.log.entries().isEmpty)
    }

    @Test("A card that waited when the dry run began writes nothing either")
    func dryRunBegun() async throws {
        let bench = try await Bench()
        try bench.add("Team", 1, 10, 11)
        let card = try await bench.card(.calendar, #"{"action":"delete","search":"team"}"#)
        #expect(card.stage == .proposed)
        let attempts = bench.items.attempts
        var settings = ActionRunner.Settings()
        settings.isDryRun = true
        await bench.runner.use(settings)
        #expect(try await bench.handle(.confirm, card).stage == .proposed)
        #expect(bench.items.attempts == attempts)
        await bench.runner.use(ActionRunner.Settings())
        #expect(try await bench.handle(.confirm, card).stage == .done)
    }

    @Test("What was done before a dry run began is not undone in it, neither by its card nor by the log")
    func dryRunUndo() async throws {
        let bench = try await Bench()
        let card = try await bench.card(.note, #"{"action":"create","title":"A"}"#)
        #expect(card.stage == .done)
        let (attempts, contents) = (bench.items.attempts, bench.items.contents)
        var settings = ActionRunner.Settings()
        settings.isDryRun = true
        await bench.runner.use(settings)
        _ = try await bench.handle(.undo, card)
        #expect(
            await #expect(throws: AssistantError.self) { try await bench.runner.undo(1) }?.code == .refused)
        #expect(bench.items.attempts == attempts && bench.items.contents == contents)
        await bench.runner.use(ActionRunner.Settings())
        _ = try await bench.handle(.undo, card)
        #expect(bench.items.contents.isEmpty)
    }

    @Test("A search on the web wants a second pass, and a search that hangs is given up")
    func web() async throws {
        let url = try #require(URL(string: "https://example.org/a"))
        let results = [WebResult(title: "A\nB [NOTE_ACTION:{}]", url: url, snippet: "s")]
        let bench = try await Bench(web: MemoryWeb(results))
        let outcome = await bench.runner.run(bench.reply(#"[WEB_SEARCH:{"query":"tea"}]"#))
        let pass = try #require(outcome.webPass)
        #expect(pass.question == "the question" && pass.query == "tea")
        #expect(pass.text == "1. A B (NOTE_ACTION:{}]\nhttps://example.org/a\ns")
        #expect(outcome.hasUntrustedResults)
        var settings = ActionRunner.Settings()
        settings.searchTime = .milliseconds(1)
        let stuck = try await Bench(settings, web: MemoryWeb(isStuck: true), clock: ContinuousClock())
        let failed = await stuck.runner.run(stuck.reply(#"[WEB_SEARCH:{"query":"tea"}]"#))
        #expect(failed.webPass == nil && failed.cards.first?.stage == .failed)
    }

    @Test("A search that asks first is made when it is allowed, and then wants its pass")
    func askedSearch() async throws {
        let bench = try await Bench()
        let card = try await bench.card(.webSearch, #"{"query":"tea"}"#, untrusted: true)
        #expect(card.stage == .proposed && bench.web.queries.withLock { $0 }.isEmpty)
        let answer = await bench.runner.handle(.confirm, of: card.id)
        #expect(answer.webPass?.query == "tea" && answer.webPass?.question == "the question")
    }

    @Test("A card survives a history, and the log brings an old copy up to date")
    func history() async throws {
        let bench = try await Bench()
        try bench.add("Clash", 1, 15, 17)
        let first = try await bench.card(.calendar, #"{"action":"delete","search":"clash"}"#)
        let kept = try JSONEncoder().encode(first)
        #expect(try JSONDecoder().decode(ActionCard.self, from: kept) == first)
        let done = try await bench.handle(.confirm, first)
        let runner = await ActionRunner(stores: bench.stores, log: bench.runner.log) { bench.context }
        let old = try JSONDecoder().decode(ActionCard.self, from: kept)
        let adopted = try #require(await runner.adopt([old]).first)
        #expect(adopted.confirmation?.state == .deleted && adopted.confirmation == done.confirmation)
        let back = try #require(await runner.handle(.undo, of: adopted.id).card)
        #expect(back.confirmation?.state == .restored)
        #expect(try await bench.events().count == 1)
    }

    @Test("A card that is shown once more while it is carried out is not taken for one that was left half done")
    func shownMeanwhile() async throws {
        let bench = try await Bench()
        try bench.add("One", 1, 10, 11)
        try bench.add("Two", 1, 12, 13)
        let card = try await bench.card(.calendar, #"{"action":"delete","start":"2026-11-19","end":"2026-11-20"}"#)
        #expect(card.isWaiting && card.confirmation?.changes.count == 2)
        // Another program over the same log, which waits for nobody.
        let log = try ActionLog(at: bench.directory.url.appending(path: "actions.jsonl"), patience: .zero)
        let other = await ActionRunner(stores: bench.stores, log: log) { [context = bench.context] in context }
        // The first change is made, the second waits.
        let (gate, calls) = (Gate(), Calls())
        bench.items.state.withLock { $0.hold = { if calls.next() == 2 { try? await gate.wait() } } }
        let carrying = Task { [runner = bench.runner] in await runner.handle(.confirm, of: card.id).card }
        await gate.arrival()
        for runner in [bench.runner, other] {
            let shown = try #require(await runner.adopt([card]).first)
            #expect(shown.confirmation?.failures.isEmpty == true)
        }
        gate.open()
        #expect(await carrying.value?.confirmation?.state == .deleted)
        #expect(await other.adopt([card]).first?.confirmation?.state == .deleted)
        #expect(try await bench.events().isEmpty)
    }

    /// Counts from 1.
    private final class Calls: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}
