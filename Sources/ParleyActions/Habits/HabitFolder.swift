// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
public import ParleyCalendar
import ParleyFiles
import ParleySystem

/// Habits as text files in a folder, one file a habit, which can be edited by hand.
///
/// A file begins with comment lines such as `# name: Drink water`, `# unit: count`, `# frequency: daily` and
/// `# emoji: 💧`; a habit without them has the name of its file and is done or not, every day. Each other line holds a
/// day and a value: `2026-11-22 1`. What a line holds beside them is kept.
public struct HabitFolder: HabitStore {
    /// The largest number of habits that are read.
    public static let most = 500
    /// The largest value that may be recorded.
    public static let largest = 1e12

    private let store: FolderStore

    /// The name of the store: `habits`.
    public var name: String { store.name }
    /// The folder.
    public var folder: URL { store.folder }

    /// Creates a store over a folder, which is created with the first habit.
    public init(_ folder: URL) {
        store = FolderStore(name: "habits", folder: folder, suffix: "txt", depth: 1, limit: 1 << 20)
    }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `invalidItem` or `invalidInput`.
    public func item(_ id: StoreItem.ID) async throws -> StoreItem? { try store.item(id) }

    /// Makes a change, as ``ItemStore/apply(_:)`` says.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError` while it waits for another process.
    public func apply(_ change: Change<StoreItem>) async throws { try await store.apply(change) }

    /// All habits, by name; files that are no text are left out.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func habits() async throws -> [StoredHabit] {
        var habits: [StoredHabit] = []
        for path in try store.paths().prefix(Self.most) {
            let id = store.id(path)
            guard let item = try await store.listed(id), let document = HabitDocument(Array(item.content)) else {
                continue
            }
            habits.append(Self.habit(id, document))
        }
        return habits.sorted { (FileName.key($0.name), $0.id.path) < (FileName.key($1.name), $1.id.path) }
    }

    /// The change that creates a habit, in a file that is named after it.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`, also if there is a habit of that name.
    public func creation(
        name: String, unit: HabitAction.Unit, frequency: HabitAction.Frequency, emoji: String?
    ) async throws -> Change<StoreItem> {
        let name = PlainText.line(name)
        guard !name.isEmpty else { throw AssistantError(.invalidInput, "A habit needs a name.") }
        let emoji = emoji.map { PlainText.line($0) }.flatMap { $0.isEmpty ? nil : $0 }
        if try await habits().contains(where: { FileName.key($0.name) == FileName.key(name) }) {
            throw AssistantError(.invalidInput, "There is a habit of that name; choose another.")
        }
        let taken = Set(try store.paths().map(FileName.key))
        let base = SafeFileName.name(for: name, otherwise: "Habit")
        let names = (1...taken.count + 1).lazy.map { $0 == 1 ? base + ".txt" : "\(base) \($0).txt" }
        guard let path = names.first(where: { !taken.contains(FileName.key($0)) }) else {
            throw AssistantError(.invalidInput, "No name is left for the file of the habit.")
        }
        let document = HabitDocument(name: name, unit: unit, frequency: frequency, emoji: emoji)
        return Change(before: nil, after: StoreItem(id: store.id(path), content: Data(document.bytes)))
    }

    /// The change that records the value of a day: in its line, or in a new line in the order of days.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` for a value that is no number from 0 to ``largest``,
    ///   `itemNotFound` or `invalidItem`.
    public func recording(
        _ value: Double, of id: StoreItem.ID, on day: CivilDate
    ) async throws -> Change<StoreItem> {
        guard value >= 0, value <= Self.largest else {
            throw AssistantError(.invalidInput, "The value of a habit is a number from 0 on.")
        }
        guard let before = try store.item(id) else {
            throw AssistantError(.itemNotFound, "\(id) is no longer there.")
        }
        guard var document = HabitDocument(Array(before.content)) else {
            throw AssistantError(.invalidItem, "\(id) is not a text file.")
        }
        document.record(value, on: day)
        return Change(before: before, after: StoreItem(id: id, content: Data(document.bytes)))
    }

    private static func habit(_ id: StoreItem.ID, _ document: HabitDocument) -> StoredHabit {
        let properties = document.properties
        return StoredHabit(
            id: id, name: properties["name"] ?? String(id.path.dropLast(".txt".count)),
            unit: properties["unit"].flatMap { HabitAction.Unit(rawValue: $0.lowercased()) } ?? .boolean,
            frequency: properties["frequency"].flatMap { HabitAction.Frequency(rawValue: $0.lowercased()) } ?? .daily,
            emoji: properties["emoji"], values: document.values)
    }
}
