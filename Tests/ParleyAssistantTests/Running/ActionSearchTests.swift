// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import Testing

@Suite("What words of an action mean")
struct ActionSearchTests {
    @Test("The search is in titles, without case, within sixty days, then by a shared word of more than three letters")
    func search() async throws {
        let bench = try await Bench()
        try bench.add("Project Review", 3, 9, 10)
        try bench.add("Old project", -61, 9, 10)
        try bench.add("the cat", 4, 9, 10)
        for (words, title) in [
            ("project", "Project Review"), ("REVIEW", "Project Review"), ("my review of things", "Project Review"),
            ("the dog", nil), ("old", nil),
        ] as [(String, String?)] {
            let card = try await bench.card(
                .calendar, #"{"action":"delete","search":"\#(words)"}"#, message: "m \(words)")
            #expect(card.plan.items.first?.title == title, "\(words)")
            if title == nil { #expect(card.stage == .failed && card.failure != nil) }
        }
    }

    @Test(
        "A search looks neither at accents and letters that keyboards lack, nor at spaces around it and plurals",
        arguments: [
            ("cafe", "Café mit Zoë"), (" ZOE ", "Café mit Zoë"), ("Strassenfest", "Straßenfest"),
            ("Malmo", "Reise nach Malmö"), ("Lodz", "Łódź"), ("dentists", "Dentist"),
            ("my birthday", "Birthdays in June"),
            ("vip", "\"VIP\" tour"),
        ])
    func looseSearch(words: String, title: String) async throws {
        let bench = try await Bench()
        try bench.add(title, 3, 9, 10)
        try bench.add("Other", 2, 9, 10)
        let card = try await bench.card(.calendar, #"{"action":"delete","search":"\#(words)"}"#)
        #expect(card.plan.items.map(\.title) == [title])
    }

    @Test("Words of which nothing is left mean nothing")
    func emptySearch() async throws {
        let bench = try await Bench()
        try bench.add("Lunch", 1, 12, 13)
        let card = try await bench.card(.calendar, #"{"action":"delete","search":"\u0301"}"#)
        #expect(card.stage == .failed && card.plan.items.isEmpty)
    }

    @Test("What only shares a word with what was said is asked about, also where nothing else is")
    func guess() async throws {
        let bench = try await Bench()
        try bench.habits.add(MemoryHabits.Habit(name: "Practice guitar"))
        let card = try await bench.card(.habit, #"{"action":"log","habit":"practice piano"}"#)
        #expect(card.isWaiting && card.plan.items.map(\.title) == ["Practice guitar"] && bench.items.made.isEmpty)
        #expect(card.plan.notices.count == 1)
        #expect(try await bench.handle(.confirm, card).confirmation?.state == .updated)
        let meant = try await bench.card(.habit, #"{"action":"log","habit":"guitar"}"#, message: "m2")
        #expect(meant.confirmation?.state == .updated && meant.plan.notices.isEmpty)
        try bench.habits.add(MemoryHabits.Habit(name: "Team  stretching"))
        let blanks = try await bench.card(.habit, #"{"action":"log","habit":"team  stretch"}"#, message: "m3")
        #expect(blanks.confirmation?.state == .updated && blanks.plan.notices.isEmpty)
    }

    @Test("Marks that make another word are none of the accents that do not count", arguments: ["バス", "ปี", "कुल"])
    func otherMarks(words: String) async throws {
        let bench = try await Bench()
        for other in ["ハス", "ปู", "कल"] { try bench.habits.add(MemoryHabits.Habit(name: other)) }
        let card = try await bench.card(.habit, #"{"action":"log","habit":"\#(words)"}"#)
        #expect(card.confirmation?.state != .updated && bench.items.made.isEmpty)
    }

    @Test(
        "Of several hits the nearest is shown with the others, and nothing is done unasked even where that is allowed")
    func ambiguity() async throws {
        var settings = ActionRunner.Settings()
        settings.policy.set(.calendar, .automatic)
        let bench = try await Bench(settings)
        try bench.add("Tea with Bob", 9, 15, 16)
        try bench.add("Tea with Anna", 2, 15, 16)
        let card = try await bench.card(.calendar, #"{"action":"delete","search":"tea"}"#)
        #expect(card.plan.items.map(\.title) == ["Tea with Anna"])
        #expect(card.plan.alternatives.map(\.title) == ["Tea with Bob"])
        #expect(card.confirmation?.state == .pendingDeletion && bench.items.made.isEmpty)
        let other = try await bench.handle(.choose(0), card)
        #expect(other.plan.items.map(\.title) == ["Tea with Bob"])
        #expect(try await bench.handle(.confirm, other).confirmation?.state == .deleted)
        #expect(try await bench.events().map(\.title) == ["Tea with Anna"])
    }

    @Test("What is still to come is meant before what is over, however near that is")
    func over() async throws {
        let bench = try await Bench()
        try bench.add("Team lunch", -1, 12, 13)
        try bench.add("Team lunch", 6, 12, 13)
        let card = try await bench.card(.calendar, #"{"action":"delete","search":"team lunch"}"#)
        #expect(card.plan.items.map(\.time) == [.timed(try bench.interval(6, 12, 13))])
        #expect(card.plan.alternatives.map(\.time) == [.timed(try bench.interval(-1, 12, 13))])
    }

    @Test("A title in the place of a note's identifier is looked for; an identifier that is gone means no other note")
    func noteTitle() async throws {
        let bench = try await Bench()
        try bench.notes.add(MemoryNotes.Note(title: "Shopping list", body: "milk"))
        let card = try await bench.card(.note, #"{"action":"update","id":"shopping list","body":"eggs"}"#)
        #expect(card.plan.items.map(\.title) == ["Shopping list"] && card.isWaiting)
        let gone = try await bench.card(.note, #"{"action":"delete","id":"notes:shopping list"}"#, message: "m2")
        #expect(gone.stage == .failed && gone.plan.items.isEmpty)
    }

    @Test("Where there are more notes than a search reads, that is said")
    func manyNotes() async throws {
        let bench = try await Bench()
        try bench.notes.add(MemoryNotes.Note(title: "Old recipe", body: ""))
        for number in 1...ActionPlanner.maxNotes {
            let changed = Date(timeIntervalSince1970: Double(number))
            try bench.notes.add(MemoryNotes.Note(title: "Plan", body: "", changed: changed))
        }
        let found = try await bench.card(.note, #"{"action":"search","query":"recipe"}"#)
        #expect(found.plan.results == .notes([]) && found.plan.notices.count == 1)
        let missed = try await bench.card(.note, #"{"action":"delete","search":"recipe"}"#, message: "m2")
        #expect(missed.stage == .failed && missed.failure?.contains("\(ActionPlanner.maxNotes) notes") == true)
    }

    @Test("The identifier of an event that is gone means no other event with a part of it in the title")
    func goneIdentifier() async throws {
        let bench = try await Bench()
        let id = try bench.add("Lunch", 1, 12, 13)
        try bench.add("Tidy the calendar", 1, 15, 16)
        bench.items.set(id.item, nil)
        let card = try await bench.card(
            .calendar, #"{"action":"reschedule","eventIdentifier":"\#(id)","start":"Friday at 12:00","end":"13:00"}"#)
        #expect(card.stage == .failed && card.plan.items.isEmpty)
    }

    @Test("Of several habits that fit, another one can be chosen")
    func habitChoice() async throws {
        let bench = try await Bench()
        for name in ["Running alone", "Running with Anna"] { try bench.habits.add(MemoryHabits.Habit(name: name)) }
        let card = try await bench.card(.habit, #"{"action":"log","habit":"running"}"#)
        #expect(card.plan.items.map(\.title) == ["Running alone"])
        #expect(card.plan.alternatives.map(\.title) == ["Running with Anna"])
        let other = try await bench.handle(.choose(0), card)
        #expect(other.plan.items.map(\.title) == ["Running with Anna"])
        #expect(other.plan.alternatives.map(\.title) == ["Running alone"])
        #expect(try await bench.handle(.confirm, other).confirmation?.state == .updated)
        #expect(try await bench.habits.habits().map { $0.values.count } == [0, 1])
    }
}
