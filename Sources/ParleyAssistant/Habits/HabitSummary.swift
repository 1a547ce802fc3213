// SPDX-License-Identifier: Apache-2.0

public import ParleyCalendar

/// How a habit is going: its last seven days and its streak.
///
/// A day counts as done if it has a value above 0.
public struct HabitSummary: Hashable, Sendable {
    /// A day with its value.
    public struct Day: Hashable, Sendable {
        /// The day.
        public var day: CivilDate
        /// What was recorded; nil if nothing was.
        public var value: Double?

        /// Whether the day counts as done.
        public var isDone: Bool { value ?? 0 > 0 }
    }

    /// The last seven days, today last.
    public var days: [Day]
    /// The sum of their values.
    public var total: Double
    /// The number of days, for weekly habits of weeks, that were done without a gap until now.
    ///
    /// Today and the current week do not break a streak while they are not done, because they are not over.
    public var streak: Int
    /// What the streak counts: days or weeks.
    public var frequency: HabitAction.Frequency

    /// The number of the seven days that were done.
    public var doneDays: Int { days.count(where: \.isDone) }

    /// Summarises a habit.
    ///
    /// - Parameters:
    ///   - habit: The habit.
    ///   - today: The local day.
    ///   - firstWeekday: The day on which weeks begin, for weekly habits.
    public init(of habit: StoredHabit, today: CivilDate, firstWeekday: Weekday = .monday) {
        days = (0..<7).map { number in
            let day = today - (6 - number)
            return Day(day: day, value: habit.values[day])
        }
        total = days.reduce(0) { $0 + ($1.value ?? 0) }
        frequency = habit.frequency
        let done = habit.values.lazy.filter { $0.value > 0 && $0.key <= today }.map(\.key)
        switch habit.frequency {
        case .daily:
            streak = Self.streak(of: Set(done), until: today, step: 1)
        case .weekly:
            streak = Self.streak(
                of: Set(done.map { $0.startOfWeek(first: firstWeekday) }),
                until: today.startOfWeek(first: firstWeekday), step: 7)
        }
    }

    /// The length of the run that ends now, or one step before where now is not yet done.
    private static func streak(of done: Set<CivilDate>, until last: CivilDate, step: Int) -> Int {
        var day = done.contains(last) ? last : last - step
        var length = 0
        while done.contains(day) {
            length += 1
            day = day - step
        }
        return length
    }
}
