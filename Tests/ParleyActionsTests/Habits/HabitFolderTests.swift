// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyTestSupport
import Testing

@Suite("Habits in a folder")
struct HabitFolderTests {
    private let directory: TemporaryDirectory
    private let folder: HabitFolder

    init() throws {
        directory = try TemporaryDirectory()
        folder = HabitFolder(directory.url)
    }

    private func day(_ day: Int) throws -> CivilDate { try #require(CivilDate(year: 2026, month: 11, day: day)) }

    private func id(_ path: String) -> StoreItem.ID { StoreItem.ID(store: "habits", path: path) }

    private func write(_ text: String, _ path: String = "h.txt") throws {
        try Data(text.utf8).write(to: folder.folder.appending(path: path))
    }

    @Test("a habit is created, recorded and read again")
    func creation() async throws {
        let change = try await folder.creation(name: "Drink: water?", unit: .count, frequency: .weekly, emoji: "💧")
        let item = try #require(change.after)
        #expect(item.id.path == "Drink water.txt")
        #expect(
            String(decoding: item.content, as: UTF8.self)
                == "# name: Drink: water?\n# unit: count\n# frequency: weekly\n# emoji: 💧\n\n")
        try await folder.apply(change)
        try await folder.apply(try await folder.recording(6.5, of: item.id, on: day(22)))
        try await folder.apply(try await folder.recording(2, of: item.id, on: day(21)))
        let habit = try #require(try await folder.habits().first)
        #expect(habit.name == "Drink: water?" && habit.unit == .count && habit.frequency == .weekly)
        let values = [try day(21): 2, try day(22): 6.5]
        #expect(habit.emoji == "💧" && habit.values == values)
        let content = try #require(try await folder.item(item.id)).content
        #expect(String(decoding: content, as: UTF8.self).hasSuffix("\n\n2026-11-21 2\n2026-11-22 6.5\n"))
        for name in ["drink: WATER?", " "] {
            let error = await #expect(throws: AssistantError.self) {
                try await folder.creation(name: name, unit: .boolean, frequency: .daily, emoji: nil)
            }
            #expect(error?.code == .invalidInput)
        }
        #expect(
            try await folder.creation(name: "Drink water", unit: .boolean, frequency: .daily, emoji: " ").after?.id.path
                == "Drink water 2.txt")
    }

    @Test("names are one line, and their files stay in the folder", arguments: ["../x/\ny", "x\u{0}y\u{2028}", "/"])
    func names(name: String) async throws {
        let change = try await folder.creation(name: name, unit: .boolean, frequency: .daily, emoji: "a\nb")
        let item = try #require(change.after)
        #expect(!item.id.path.contains("/") && !item.id.path.contains("\n"))
        try await folder.apply(change)
        let habit = try #require(try await folder.habits().first)
        #expect(!habit.name.contains { $0.isNewline } && habit.emoji == "a b" && habit.values.isEmpty)
    }

    @Test("a file that was written by hand is read")
    func reading() async throws {
        try write(
            "2026-11-20\n 2026-11-21\t3 # x\r\n2026-11-22, 4\n2026-11-22 5\n2026-02-30 1\n2026-11-2 1\nx\n2026-11-19 nan\n"
        )
        try write("#Unit :Duration\n# Frequency: sometimes\n#  NAME: Run\n# name: Other\n", "z.txt")
        try write("a\0", "binary.txt")
        let habits = try await folder.habits()
        #expect(habits.map(\.name) == ["h", "Run"])
        let values: [CivilDate: Double] = [try day(20): 1, try day(21): 3, try day(22): 5]
        #expect(habits[0].values == values)
        #expect(habits[0].unit == .boolean && habits[0].frequency == .daily && habits[0].emoji == nil)
        #expect(habits[1].frequency == .daily)
    }

    @Test(
        "recording changes the line of the day and no other byte",
        arguments: [
            ("", 22, "2026-11-22 7\n"), ("# x\n", 22, "# x\n2026-11-22 7\n"), ("# x", 22, "# x\n2026-11-22 7\n"),
            ("# x\r\n\r\n2026-11-22  1  # c\r\nodd", 22, "# x\r\n\r\n2026-11-22  7  # c\r\nodd"),
            ("2026-11-22", 22, "2026-11-22 7"), ("2026-11-22 # c\n", 22, "2026-11-22 7 # c\n"),
            ("2026-11-22 1\n2026-11-22 2\n", 22, "2026-11-22 1\n2026-11-22 7\n"),
            ("# x\n2026-11-23 1\n", 22, "# x\n2026-11-22 7\n2026-11-23 1\n"),
            ("2026-11-20 1\n# c\n2026-11-23 1\n", 22, "2026-11-20 1\n2026-11-22 7\n# c\n2026-11-23 1\n"),
            ("2026-11-20 1", 22, "2026-11-20 1\n2026-11-22 7\n"),
            ("\u{FEFF}2026-11-20,1\n", 20, "\u{FEFF}2026-11-20,7\n"), ("2026-11-22,\n", 22, "2026-11-22, 7\n"),
            ("2026-11-22 : # c\n", 22, "2026-11-22 : 7 # c\n"), ("2026-11-22;#c", 22, "2026-11-22; 7#c"),
            ("2026-11-22 1#c\r\n", 22, "2026-11-22 7#c\r\n"), ("\u{FEFF}", 22, "\u{FEFF}2026-11-22 7\n"),
        ])
    func recording(before: String, number: Int, after: String) async throws {
        try write(before)
        let change = try await folder.recording(7, of: id("h.txt"), on: day(number))
        #expect(change.after?.content == Data(after.utf8))
        #expect(change.before?.content == Data(before.utf8))
        try await folder.apply(change)
        #expect(try await folder.habits().first?.values[day(number)] == 7)
    }

    @Test("values that are none are refused", arguments: [-1, .nan, .infinity, 1e13])
    func values(_ value: Double) async throws {
        try write("")
        let error = await #expect(throws: AssistantError.self) {
            try await folder.recording(value, of: id("h.txt"), on: day(1))
        }
        #expect(error?.code == .invalidInput)
        let missing = await #expect(throws: AssistantError.self) {
            try await folder.recording(1, of: id("none.txt"), on: day(1))
        }
        #expect(missing?.code == .itemNotFound)
    }
}
