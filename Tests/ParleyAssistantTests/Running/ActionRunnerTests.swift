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
}
