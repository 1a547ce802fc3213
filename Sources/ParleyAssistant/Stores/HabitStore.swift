// SPDX-License-Identifier: Apache-2.0

public import ParleyCalendar

/// A habit with what was recorded for it.
public struct StoredHabit: Hashable, Sendable, Identifiable {
    /// The item that contains the habit.
    public var id: StoreItem.ID
    /// The name.
    public var name: String
    /// What is recorded.
    public var unit: HabitAction.Unit
    /// How often it should be practised.
    public var frequency: HabitAction.Frequency
    /// A picture for it, if any.
    public var emoji: String?
    /// The value of each day that has one.
    public var values: [CivilDate: Double]

    /// Creates a habit.
    public init(
        id: StoreItem.ID, name: String, unit: HabitAction.Unit = .boolean, frequency: HabitAction.Frequency = .daily,
        emoji: String? = nil, values: [CivilDate: Double] = [:]
    ) {
        (self.id, self.name, self.unit, self.frequency) = (id, name, unit, frequency)
        (self.emoji, self.values) = (emoji, values)
    }
}

/// A store of habits. It plans changes; ``ItemStore/apply(_:)`` makes them.
public protocol HabitStore: ItemStore {
    /// All habits, by name.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func habits() async throws -> [StoredHabit]

    /// The change that creates a habit.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`, also if there is a habit of that name.
    func creation(
        name: String, unit: HabitAction.Unit, frequency: HabitAction.Frequency, emoji: String?
    ) async throws -> Change<StoreItem>

    /// The change that records the value of a day, in place of an earlier one for that day.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    func recording(_ value: Double, of id: StoreItem.ID, on day: CivilDate) async throws -> Change<StoreItem>
}
