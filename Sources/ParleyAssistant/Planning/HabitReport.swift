// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

/// A habit with the summary of its last seven days, as a card shows it.
public struct HabitReport: Hashable, Sendable, Codable {
    /// The name of the habit.
    public var name: String
    /// A picture for it, if any.
    public var emoji: String?
    /// What is recorded: `boolean`, `count` or `duration`.
    public var unit: String
    /// The values of the last seven days, today last; nil for a day without a value.
    public var days: [Double?]
    /// The number of the seven days that were done.
    public var doneDays: Int
    /// The sum of the values.
    public var total: Double
    /// For how many days, or weeks of a weekly habit, it has been kept without a gap.
    public var streak: Int
    /// Whether the streak counts weeks.
    public var isWeekly: Bool

    init(_ habit: StoredHabit, today: CivilDate, firstWeekday: Weekday) {
        let summary = HabitSummary(of: habit, today: today, firstWeekday: firstWeekday)
        (name, emoji, unit) = (habit.name, habit.emoji, habit.unit.rawValue)
        (days, doneDays, total) = (summary.days.map(\.value), summary.doneDays, summary.total)
        (streak, isWeekly) = (summary.streak, habit.frequency == .weekly)
    }
}
