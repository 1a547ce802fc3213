// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Stores that fail at random")
struct RandomStoreTests {
    /// The kinds of actions that are tried, over a calendar with two events on Friday that overlap a third.
    static let payloads: [(ActionTag, String)] = [
        (.calendar, #"{"action":"create","title":"New","start":"Friday at 9:00","end":"10:00"}"#),
        (.calendar, #"{"action":"delete","start":"2026-11-20","end":"2026-11-20"}"#),
        (.calendar, #"{"action":"delete","search":"Alpha"}"#),
        (.calendar, #"{"action":"update","search":"Beta","start":"Friday at 9:00","end":"10:00"}"#),
        (.calendar, #"{"action":"update","search":"Beta","location":"Room 2"}"#),
        (.note, #"{"action":"update","search":"shopping","body":"eggs"}"#),
        (.habit, #"{"action":"log","habit":"Running"}"#),
        (.reminder, #"{"title":"Tea","at":"tomorrow at 15:00"}"#),
    ]

    @Test(
        "Any events in any order: nothing is written without an entry, bulks are whole, and undoing all restores the bytes",
        arguments: 0..<64)
    func walk(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let (tag, payload) = Self.payloads[seed % Self.payloads.count]
        var settings = ActionRunner.Settings()
        if Bool.random(using: &random) { settings.policy.set(tag, .ask) }
        let bench = try await Bench(settings)
        try bench.add("Alpha", 2, 9, 10)
        try bench.add("Beta", 2, 14, 15)
        try bench.notes.add(MemoryNotes.Note(title: "shopping", body: "milk"))
        try bench.habits.add(MemoryHabits.Habit(name: "Running"))
        let first = bench.items.contents
        let fates = Fates(UInt64(seed) &+ 1000)
        bench.items.fail { _ in fates.next() }
        var card = try await bench.card(tag, payload)
        for _ in 0..<14 {
            let events: [ActionCard.Event] = [
                .confirm, .confirm, .undo, .undo, .cancelConflict, .keepConflict, .reschedule(0), .reschedule(1),
                .appeared, .choose(0), .scope(.series),
            ]
            let event = try #require(events.randomElement(using: &random))
            card = try await bench.handle(event, card)
            #expect(card.confirmation?.isBusy != true)
            // Nothing is written without an entry: the changes that were made are those that the log says were made.
            let logged = await bench.runner.log.entries(limit: .max).reversed().flatMap(\.made)
            #expect(bench.items.made == logged)
            if card.tag == .calendar, payload.contains("2026-11-20"), card.confirmation?.state != .incomplete {
                let gone = first.keys.count { $0.store == "calendar" && bench.items.contents[$0] == nil }
                #expect(gone == 0 || gone == 2, "All or none.")
            }
            // A choice that is offered is one that does something.
            if card.confirmation?.state == .created {
                #expect(card.choices.contains { $0.event == .undo || $0.event == .keepConflict })
            }
        }
        // The log undoes everything, newest first.
        bench.items.fail(nil)
        for entry in await bench.runner.log.entries(limit: .max) {
            var isLeft = entry.reason == .action || entry.reason == .reschedule
            if entry.reason == .rollback || entry.made.isEmpty { isLeft = false }
            guard isLeft, entry.isDone, await bench.runner.log.undoing(of: entry.id) == nil else { continue }
            do {
                _ = try await bench.runner.log.undo(entry.id, in: bench.stores, at: bench.context.now)
            } catch let error as AssistantError {
                // What an undo of the card has taken back already differs, and the error says so.
                #expect(error.code == .itemChanged || error.code == .invalidInput)
            }
        }
        if card.confirmation?.state != .incomplete, card.stage != .failed {
            #expect(Set(bench.items.contents.keys) == Set(first.keys))
            #expect(bench.items.contents == first)
        }
    }
}

/// Which changes fail: every fourth or so, by chance.
private final class Fates: @unchecked Sendable {
    // Asked by one store at a time, under its lock.
    private var random: SplitMix64
    init(_ seed: UInt64) { random = SplitMix64(seed: seed) }
    func next() -> AssistantError? {
        Int.random(in: 0..<4, using: &random) == 0 ? AssistantError(.storeUnavailable, "Chance.") : nil
    }
}
