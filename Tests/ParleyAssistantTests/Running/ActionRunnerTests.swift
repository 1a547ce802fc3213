// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import Testing

@Suite("Replies carried out")
struct ActionRunnerTests {
    @Test("Blocks run in the order in which they are written, and the text is without them")
    func order() async throws {
        let bench = try await Bench()
        let outcome = await bench.runner.run(
            bench.reply(
                """
                Noted. [NOTE_ACTION:{"action":"create","title":"B","body":"x"}] And \
                [REMINDER:{"title":"A","at":"in 20 minutes"}]\
                [CALENDAR_ACTION:{"action":"create","title":"C","start":"tomorrow at 15:00","end":"16:00"}] Done.
                """))
        #expect(outcome.text == "Noted. And Done.")
        #expect(outcome.cards.map(\.tag) == [.note, .reminder, .calendar])
        #expect(outcome.cards.map(\.origin.index) == [0, 1, 2])
        #expect(outcome.cards.allSatisfy { $0.stage == .done && $0.confirmation?.state == .created })
        #expect(bench.items.made.compactMap(\.itemID?.store) == ["notes", "reminders", "calendar"])
        #expect(await bench.runner.log.entries().map(\.id) == [3, 2, 1])
    }

    @Test("Nothing runs unless the reply ended by itself", arguments: FinishReason.allCases.map { $0 } + [nil])
    func finish(_ reason: FinishReason?) async throws {
        let bench = try await Bench()
        let outcome = await bench.runner.run(
            bench.reply(
                #"[NOTE_ACTION:{"action":"create","title":"A"}][CONTACTS_SEARCH:{"query":"A"}]"#, finish: reason))
        let runs = reason == .stop || reason == .functionCall
        #expect(bench.items.attempts == (runs ? 1 : 0) && outcome.cards.count == (runs ? 2 : 0))
    }

    @Test("A reply that is passed twice is carried out once, also at the same time")
    func once() async throws {
        let bench = try await Bench()
        let reply = bench.reply(#"[NOTE_ACTION:{"action":"create","title":"A"}]"#)
        async let first = bench.runner.run(reply)
        async let second = bench.runner.run(reply)
        _ = await (first, second, bench.runner.run(reply))
        #expect(bench.items.made.count == 1)
    }

    @Test("What was done in part and changed since is not taken back anew at each start, but when it can be")
    func partial() async throws {
        let bench = try await Bench()
        let first = try bench.add("A", 1, 9, 10).item
        let second = try bench.add("B", 1, 10, 11).item
        let card = try await bench.card(.calendar, #"{"action":"delete","start":"tomorrow","end":"tomorrow"}"#)
        let content = try #require(bench.items.item(first)?.content)
        // The first goes, the second does not, and the first cannot come back.
        bench.items.fail { change in
            change.before == nil || change.itemID == second ? AssistantError(.storeUnavailable, "Full.") : nil
        }
        #expect(try await bench.handle(.confirm, card).confirmation?.state == .incomplete)
        bench.items.fail(nil)
        func start() async -> Int {
            let runner = await ActionRunner(stores: bench.stores, log: bench.runner.log) { bench.context }
            return await runner.log.entries().count
        }
        bench.items.set(first, Data("of somebody else".utf8))
        #expect(await start() == 2)
        #expect(await start() == 2)
        bench.items.set(first, nil)
        #expect(await start() == 3)
        #expect(bench.items.item(first)?.content == content)
        #expect(await start() == 3)
    }
}
