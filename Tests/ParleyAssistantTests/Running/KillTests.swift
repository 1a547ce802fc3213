// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import ParleyConversation
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Kills")
struct KillTests {
    /// What was in the stores, and what had been done, when so many bytes were in the log.
    private struct Moment {
        var bytes: Int
        var contents: [StoreItem.ID: Data]
        var made: Int
    }

    /// The session of which every moment is tried: a note is created, three events are deleted together, the deletion
    /// fails in part, and something is undone.
    private static let text = """
        [NOTE_ACTION:{"action":"create","title":"A","body":"b"}]\
        [CALENDAR_ACTION:{"action":"delete","start":"2026-11-20","end":"2026-11-20"}]
        """

    private static func setUp(_ items: MemoryItems, _ context: DateContext) throws -> AssistantStores {
        let calendar = MemoryCalendar(items: items, clock: context.clock)
        let day = context.clock.day(of: context.now) + 2
        for hour in 9..<12 {
            let start = context.clock.instant(day, LocalTime(seconds: hour * 3600))
            try calendar.add(
                MemoryCalendar.Event(title: "E\(hour)", time: .timed(DateInterval(start: start, duration: 1800))))
        }
        return AssistantStores(calendar: calendar, notes: MemoryNotes(items: items))
    }

    private static func reply() -> FinishedReply {
        FinishedReply(chat: "c", message: "m", text: text, finish: .stop, readsUntrusted: false)
    }

    @Test("Killed at every byte of the log, before or after the store wrote: nothing is done twice, bulks are whole")
    func everyByte() async throws {
        let context = try DateResolverTests.context()
        var settings = ActionRunner.Settings()
        settings.policy.set(.calendar, .automatic)
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "actions.jsonl")
        let items = MemoryItems()
        let stores = try Self.setUp(items, context)
        let first = items.contents
        // The states of the stores between the records: a change is made after its intent and before its outcome.
        let moments = Moments()
        items.state.withLock { state in
            state.onApply = { _ in moments.add((try? Data(contentsOf: url).count) ?? 0) }
        }
        let runner = await ActionRunner(stores: stores, log: try ActionLog(at: url), settings: settings) { context }
        _ = await runner.run(Self.reply())
        let made = items.made
        #expect(made.count == 4)
        let log = try Data(contentsOf: url)
        for cut in 0...log.count {
            // With `cut` bytes in the log, the changes whose intents were whole have been made, or all but the last.
            let possible = moments.values.count { $0 <= cut }
            for count in Set([possible, max(0, possible - 1)]) {
                // An outcome in the log means that its change was made.
                let outcomes = log.prefix(cut).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                    .dropLast().count { String(decoding: $0, as: UTF8.self).contains(#""result":"done""#) }
                guard count >= outcomes else { continue }
                let label = "cut \(cut), made \(count)"
                let place = try TemporaryDirectory()
                let again = place.url.appending(path: "actions.jsonl")
                try log.prefix(cut).write(to: again)
                let rest = MemoryItems()
                let stores = try Self.setUp(rest, context)
                for change in made.prefix(count) { try rest.apply(change) }
                rest.state.withLock { $0.made = [] }
                let runner = await ActionRunner(stores: stores, log: try ActionLog(at: again), settings: settings) {
                    context
                }
                let settled = rest.contents
                let deleted = first.keys.count { settled[$0] == nil }
                #expect(deleted == 0 || deleted == 3, "\(label): a bulk is whole.")
                // The same reply again, as after a crash that lost the history.
                let outcome = await runner.run(Self.reply())
                #expect(outcome.cards.count == 2)
                let notes = rest.contents.keys.count { $0.store == "notes" }
                #expect(notes <= 1, "\(label): the note is made once.")
                for change in rest.made where change.before == nil && change.itemID?.store == "notes" {
                    #expect(count == 0, "\(label): what was made is not made again.")
                }
                let now = first.keys.count { rest.contents[$0] == nil }
                #expect(now == 0 || now == 3)
                // Every card tells what the stores hold.
                for card in outcome.cards {
                    let state = try #require(card.confirmation?.state, "\(label)")
                    switch state {
                    case .created: #expect(notes == 1)
                    case .pendingCreation: #expect(notes == 0)
                    case .deleted: #expect(now == 3)
                    case .pendingDeletion: #expect(now == 0)
                    default: Issue.record("\(label): \(state)")
                    }
                }
                // What the log says was done can be undone to the byte.
                for entry in await runner.log.entries() where entry.reason == .action && entry.isDone {
                    _ = try await runner.undo(entry.id)
                }
                #expect(rest.contents == first, "\(label)")
            }
        }
    }
}

/// The sizes of the log at which changes were made.
private final class Moments: @unchecked Sendable {
    // The log writes one change after the other.
    private(set) var values: [Int] = []
    func add(_ value: Int) { values.append(value) }
}
