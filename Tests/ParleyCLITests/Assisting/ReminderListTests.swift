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
}
