// SPDX-License-Identifier: Apache-2.0

/// An action on habits that a model requests.
public enum HabitAction: Hashable, Sendable {
    /// The kind of value that is recorded for a habit.
    public enum Unit: String, CaseIterable, Hashable, Sendable { case boolean, count, duration }
    /// How often a habit should be practised.
    public enum Frequency: String, CaseIterable, Hashable, Sendable { case daily, weekly }

    /// Creates a habit.
    case create(name: String, unit: Unit, frequency: Frequency, emoji: String?)
    /// Records a value for today, which replaces an earlier value for today.
    case log(habit: String, value: Double)
    /// Shows the last seven days and the streak of a habit, or of all habits.
    case query(habit: String?)

    /// Reads the fields; nil if there are problems, which `fields` then contains.
    init?(_ fields: inout ActionFields) {
        enum Name: String, CaseIterable { case create, log, query }
        guard let name: Name = fields.choice("action", required: true) else { return nil }
        switch name {
        case .create:
            let name = fields.text("name", required: true)
            let unit: Unit = fields.choice("unit") ?? .boolean
            let frequency: Frequency = fields.choice("frequency") ?? .daily
            let emoji = fields.text("emoji")
            guard let name else { return nil }
            self = .create(name: name, unit: unit, frequency: frequency, emoji: emoji)
        case .log:
            let habit = fields.text("habit", required: true)
            let value = fields.number("value", from: 0) ?? 1
            guard let habit else { return nil }
            self = .log(habit: habit, value: value)
        case .query: self = .query(habit: fields.text("habit"))
        }
    }
}
