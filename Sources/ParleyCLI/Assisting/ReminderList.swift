// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleySystem

/// Reminders as lines of text: what is overdue, what is due today, and what comes later.
package struct ReminderList: Sendable {
    private let clock: LocalClock
    private let console: Console

    /// Creates a list for a time zone.
    package init(clock: LocalClock, console: Console) { (self.clock, self.console) = (clock, console) }

    /// Shows reminders.
    func show(_ reminders: [StoredReminder], at now: Date) {
        if reminders.isEmpty { return console.line("Nothing is due.") }
        for (title, lines) in sections(reminders, at: now) {
            console.line(console.outputStyle.bold(title))
            for line in lines { console.line("  " + PlainText.clean(line)) }
        }
    }

    /// The lines of each section that has some.
    package func sections(_ reminders: [StoredReminder], at now: Date) -> [(title: String, lines: [String])] {
        let today = clock.day(of: now)
        var sections: [(title: String, lines: [String])] = [
            ("Overdue", []), ("Today", []), ("Later", []), ("No time", []),
        ]
        for reminder in reminders {
            guard let due = reminder.due else {
                sections[3].lines.append(reminder.title)
                continue
            }
            let day = clock.day(of: due)
            let time = reminder.isAllDay ? "all day" : "\(clock.time(of: due))"
            let when = day == today ? time : reminder.isAllDay ? "\(day)" : "\(day) \(time)"
            let isOverdue = reminder.isAllDay ? day < today : due <= now
            sections[isOverdue ? 0 : day == today ? 1 : 2].lines.append("\(when)  \(reminder.title)")
        }
        return sections.filter { !$0.lines.isEmpty }
    }
}
