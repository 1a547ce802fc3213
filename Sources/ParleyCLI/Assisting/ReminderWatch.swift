// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyActions
import ParleyAssistant
import ParleySystem
import Subprocess

/// Tells when reminders become due. The store is looked at anew every half minute, so that reminders which another
/// program adds count too.
package struct ReminderWatch: Sendable {
    let store: ReminderItems
    let notifier: any ReminderNotifier
    /// Called each time before the store is looked at.
    let refresh: @Sendable () async -> Void

    /// Tells until the task is cancelled.
    ///
    /// - Throws: `CancellationError`; ``AssistantError`` if the store cannot be read at first.
    func run() async throws {
        var last = Date()
        while true {
            try await Task.sleep(
                for: .seconds(30) - .seconds(Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 30)))
            await refresh()
            let now = Date()
            // A store that cannot be read for a moment is read again half a minute later.
            guard let span = Self.span(from: &last, to: now), let alarms = try? await store.alarms(in: span) else {
                continue
            }
            last = now
            for alarm in alarms { await notifier.tell(alarm.reminder) }
        }
    }

    /// The time of which alarms are to be told; nil if none has passed.
    ///
    /// Where the clock was set back by more than a minute, it begins anew: many machines start with a wrong clock, and
    /// nothing would be told until that time has come again.
    package static func span(from last: inout Date, to now: Date) -> Range<Date>? {
        if now < last - 60 { last = now }
        return now > last ? last..<now : nil
    }
}

/// Shows a reminder: on the desktop, or on the terminal.
struct Notifier: ReminderNotifier {
    private let program: Executable?
    private let console: Console

    /// The notifier of this machine: `notify-send` where it is installed.
    static func found(console: Console) async -> Notifier {
        let program = Executable.name("notify-send")
        let isThere = (try? await program.resolveExecutablePath(in: .inherit)) != nil
        return Notifier(program: isThere ? program : nil, console: console)
    }

    /// Shows a reminder.
    func tell(_ reminder: StoredReminder) async {
        if let program {
            // A title that begins with a dash is no option; a body is markup (Desktop Notifications Specification).
            let body = (reminder.body ?? "").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            let arguments = ["--app-name=Parley", "--", reminder.title, body]
            let result = try? await Subprocess.run(
                program, arguments: Arguments(arguments), input: .none, output: .discarded, error: .discarded)
            if case .exited(0)? = result?.terminationStatus { return }
        }
        let body = reminder.body.map { "\n  " + PlainText.clean($0) } ?? ""
        console.line("\u{7}" + console.outputStyle.bold("Due now: ") + PlainText.clean(reminder.title) + body)
    }
}
