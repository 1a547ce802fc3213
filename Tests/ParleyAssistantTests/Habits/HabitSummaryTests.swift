// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyCalendar
import Testing

@Suite("How a habit is going")
struct HabitSummaryTests {
    private let today: CivilDate

    init() throws {
        // A Wednesday.
        today = try #require(CivilDate(year: 2026, month: 11, day: 25))
    }

    private func summary(
        _ frequency: HabitAction.Frequency = .daily, first: Weekday = .monday, of values: [Int: Double]
    ) -> HabitSummary {
        let days = Dictionary(uniqueKeysWithValues: values.map { (today + $0, $1) })
        let habit = StoredHabit(
            id: StoreItem.ID(store: "habits", path: "x.txt"), name: "x", frequency: frequency, values: days)
        return HabitSummary(of: habit, today: today, firstWeekday: first)
    }

    @Test("the last seven days are shown, today last")
    func days() {
        let summary = summary(of: [0: 2, -1: 0, -6: 1.5, -7: 9, 1: 9])
        #expect(summary.days.map(\.day) == (0..<7).map { today - 6 + $0 })
        #expect(summary.days.map(\.value) == [1.5, nil, nil, nil, nil, 0, 2])
        #expect(summary.total == 3.5 && summary.doneDays == 2)
    }

    @Test(
        "a streak is not broken by today, which is not over",
        arguments: [
            ([:], 0), ([0: 1], 1), ([-1: 1], 1), ([0: 0, -1: 1, -2: 1], 2), ([0: 1, -1: 1, -2: 1], 3),
            ([0: 1, -2: 1], 1), ([-2: 1], 0), ([-1: 0, -2: 1], 0), ([1: 1, 2: 1], 0),
        ] as [([Int: Double], Int)])
    func dailyStreak(values: [Int: Double], streak: Int) {
        #expect(summary(of: values).streak == streak)
    }

    @Test("a streak may be longer than a week")
    func longStreak() {
        #expect(summary(of: Dictionary(uniqueKeysWithValues: (0..<1000).map { (-$0, 1) })).streak == 1000)
    }

    @Test(
        "a weekly habit counts weeks",
        arguments: [
            // Monday is -2, the Sunday before it -3.
            ([:], 0), ([0: 1], 1), ([-2: 1], 1), ([-3: 1], 1), ([-3: 1, -9: 1], 1), ([0: 1, -3: 1, -10: 1], 3),
            ([-9: 1], 1), ([-10: 1], 0), ([-2: 1, -16: 1], 1),
        ] as [([Int: Double], Int)])
    func weeklyStreak(values: [Int: Double], streak: Int) {
        let summary = summary(.weekly, of: values)
        #expect(summary.streak == streak && summary.frequency == .weekly)
    }

    @Test("weeks begin on the day of the locale")
    func firstWeekday() {
        #expect(summary(.weekly, first: .monday, of: [-2: 1, -3: 1]).streak == 2)
        #expect(summary(.weekly, first: .sunday, of: [-2: 1, -3: 1]).streak == 1)
    }
}
