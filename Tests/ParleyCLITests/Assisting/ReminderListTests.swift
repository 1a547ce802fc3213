// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCLI
import Testing

@Suite("ReminderList")
struct ReminderListTests {
    @Test("Reminders are grouped into overdue, today, later and those without a time")
    func sections() throws {
        let now = try Date("2026-11-18T14:30:00Z", strategy: .iso8601)
        func reminder(_ title: String, _ hours: Double?) -> StoredReminder {
            StoredReminder(
                id: .init(item: StoreItem.ID(store: "reminders", path: title)), title: title,
                due: hours.map { now + $0 * 3600 })
        }
        let sections = ReminderList(clock: LocalClock(.gmt), console: Console()).sections(
            [reminder("Rent", -30), reminder("Milk", 2), reminder("Dentist", 48), reminder("Some day", nil)], at: now)
        #expect(sections.map(\.title) == ["Overdue", "Today", "Later", "No time"])
        #expect(
            sections.flatMap(\.lines) == [
                "2026-11-17 08:30  Rent", "16:30  Milk", "2026-11-20 14:30  Dentist", "Some day",
            ])
    }

    @Test("What is due on a day is overdue when the day is over")
    func days() throws {
        let now = try Date("2026-11-18T14:30:00Z", strategy: .iso8601)
        let reminders = try ["2026-11-17", "2026-11-18", "2026-11-19"].map { day in
            StoredReminder(
                id: .init(item: StoreItem.ID(store: "reminders", path: day)), title: "Bins",
                due: try Date("\(day)T00:00:00Z", strategy: .iso8601), isAllDay: true)
        }
        let sections = ReminderList(clock: LocalClock(.gmt), console: Console()).sections(reminders, at: now)
        #expect(sections.map(\.title) == ["Overdue", "Today", "Later"])
        #expect(sections.flatMap(\.lines) == ["2026-11-17  Bins", "all day  Bins", "2026-11-19  Bins"])
    }
}
