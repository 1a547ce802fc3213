// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleySystem

/// `parley remind`: shows what is due, and tells when something becomes due.
struct RemindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remind", abstract: "Shows what is due; with --watch, tells when something becomes due.",
        discussion: """
            Reminders are the to-dos in $PARLEY_HOME/calendars. Those of accounts are synchronised first, which takes \
            three seconds at most. With --watch it keeps running, synchronises every five minutes, and tells with \
            notify-send where there is one, else on the terminal. Ctrl-C ends it.
            """)

    @Flag(help: "Keep running, and tell when something becomes due.")
    var watch = false

    @Flag(help: "Do not synchronise accounts.")
    var offline = false

    func run() async throws {
        let console = Console()
        let home = try AssistantHome(console: console)
        let accounts = offline ? [] : try AccountSettings(at: home.accounts.settings).accounts
        let keeper = AccountKeeper(accounts, in: home.accounts, interval: .seconds(300))
        await keeper.synchronise()
        if await !keeper.settle(within: .seconds(3)) {
            console.note("A server has not answered yet; this is what was known here.")
        }
        let store = home.reminders()
        let list = ReminderList(clock: LocalClock(.current), console: console)
        list.show(try await store.openReminders(), at: Date())
        for remark in await keeper.takeRemarks() { console.note(PlainText.clean(remark)) }
        guard watch else { return await keeper.stop() }
        console.note("Waiting for what becomes due. Ctrl-C ends.")
        try await Interrupts.shared.cancelling {
            let notifier = await Notifier.found(console: console)
            try await ReminderWatch(store: store, notifier: notifier) {
                await keeper.refresh()
                for remark in await keeper.takeRemarks() { console.note(PlainText.clean(remark)) }
            }.run()
        }
    }
}
