// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("History")
struct HistoryTests {
    @Test("the oldest turn goes whole and the system prompt stays")
    func removingTurns() {
        var history = History(system: "be kind")
        for number in 1...5 { history.append(number.isMultiple(of: 2) ? .assistant : .user, "\(number)") }
        #expect(history.turnCount == 3)
        history.removeFirstTurn()
        #expect(history.all.map(\.content) == ["be kind", "3", "4", "5"])
        history.removeFirstTurn()
        #expect(history.all.map(\.content) == ["be kind", "5"])
        history.clear()
        #expect(history.all.map(\.content) == ["be kind"])
        history.removeFirstTurn()
        history.removeLast()
        #expect(history.turnCount == 0)
    }
}
