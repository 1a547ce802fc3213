// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant

/// A collection in memory that behaves as ``ItemStore`` says, with a time zone and a present time for stores over it.
actor ItemsInMemory: ItemCollection {
    nonisolated let name = "calendar"
    nonisolated let suffix = "ics"
    private var items: [String: Data] = [:]

    static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    /// Sunday, 1 March 2026, 12:00 UTC.
    static let now = date("2026-03-01T12:00:00Z")

    static func date(_ text: String) -> Date { (try? Date(text, strategy: .iso8601)) ?? .distantPast }

    init(_ items: [String: String] = [:]) {
        self.items = items.mapValues { Data($0.replacing("\n", with: "\r\n").utf8) }
    }

    func paths() -> [String] { items.keys.sorted() }

    func item(_ id: StoreItem.ID) -> StoreItem? { items[id.path].map { StoreItem(id: id, content: $0) } }

    func apply(_ change: Change<StoreItem>) throws {
        guard let id = change.itemID else { return }
        guard items[id.path] == change.before?.content else { throw AssistantError(.itemChanged, "changed") }
        items[id.path] = change.after?.content
    }

    /// The lines of an item.
    func lines(_ path: String) -> [String] {
        String(decoding: items[path] ?? Data(), as: UTF8.self).components(separatedBy: "\r\n")
    }

    nonisolated func id(_ path: String) -> StoreItem.ID { StoreItem.ID(store: name, path: path) }

    nonisolated var calendar: CalendarItems {
        CalendarItems(self, timeZone: Self.berlin, now: { Self.now }, newUID: { "new" })
    }

    nonisolated var reminders: ReminderItems {
        ReminderItems(self, timeZone: Self.berlin, now: { Self.now }, newUID: { "new" })
    }
}

/// A calendar with events, or other components, of which the lines are given.
func calendar(_ components: String..., name: String = "VEVENT") -> String {
    let parts = components.map { "BEGIN:\(name)\n\($0)\nEND:\(name)\n" }
    return "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Other//EN\n" + parts.joined() + "END:VCALENDAR\n"
}
