// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyJSON
import Testing

@Suite("Replies beside what came again")
struct ReplayComparisonTests {
    private func compare(_ kept: [Int32], _ now: [Int32]) async -> ReplayComparison {
        await ReplayComparison(kept, now) { $0.map(String.init).joined(separator: " ") }
    }

    @Test("The same tokens are the same reply.")
    func same() async {
        let comparison = await compare([1, 2, 3], [1, 2, 3])
        #expect(comparison.isSame && comparison.parting == nil && comparison.count == 3)
        #expect(comparison.json == ["same": true, "tokens": 3, "tokens_now": 3])
    }

    @Test("The place is where the first token differs, or where the shorter reply ends.")
    func place() async {
        #expect(await compare([1, 2, 3], [1, 9, 3]).parting == .init(place: 1, kept: "1 2 3", now: "1 9 3"))
        #expect(await compare([1, 2], [1, 2, 3]).parting == .init(place: 2, kept: "1 2", now: "1 2 3"))
        #expect(await compare([1], []).parting == .init(place: 0, kept: "1", now: ""))
        #expect(await compare([1], []).json["parts_at"] == 0)
    }

    @Test("Only what is around the place is shown.")
    func around() async {
        let kept = Array(0..<Int32(100))
        var now = kept
        now[50] = -1
        let parting = await compare(kept, now).parting
        #expect(parting?.kept == (38..<62).map(String.init).joined(separator: " "))
        #expect(parting?.now.split(separator: " ").count == 24)
    }
}
