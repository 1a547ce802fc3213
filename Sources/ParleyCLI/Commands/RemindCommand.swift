// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant

/// `parley remind`: shows what is due, and tells when something becomes due.
struct RemindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remind", abstract: "Shows what is due; with --watch, tells when something becomes due.",
        discussion: """
            Reminders are the to-dos in $PARLEY_HOME/calendars. With --watch it keeps running and tells with \
            notify-send where there is one, else on the terminal. Ctrl-C ends it.
            """)

    @Flag(help: "Keep running, and tell when something becomes due.")
    var watch = false

    func run() async throws {
        let console = Console()
        var home = AssistantHome()
        home.settings = try home.readSettings(console: console)
        let store = home.reminders()
        let list = ReminderList(clock: LocalClock(.current), console: console)
        list.show(try await store.openReminders(), at: Date())
        guard watch else { return }
        console.note("Waiting for what becomes due. Ctrl-C ends.")
        try await Interrupts.shared.cancelling {
            try await ReminderWatch(store: store, notifier: await Notifier.found(console: console)).run()
        }
    }
}
