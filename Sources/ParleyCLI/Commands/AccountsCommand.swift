// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCommandLine

/// `parley accounts`: calendars and contacts on servers.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Adds, lists, synchronises and removes calendars and contacts on servers.",
        discussion: """
            Servers speak CalDAV and CardDAV. Their calendars and address books become folders in \
            $PARLEY_HOME/calendars and $PARLEY_HOME/contacts, which the assistant and other programs read and write; \
            'parley accounts sync' brings both sides together. Passwords are never stored.
            """,
        subcommands: [List.self, Add.self, Sync.self, Use.self, Remove.self], defaultSubcommand: List.self)

    /// `parley accounts remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forgets accounts; their folders and what is on the servers stay.")

        @Argument(help: "The accounts' names.", completion: .account)
        var names: [String]

        func run() throws {
            var known = try KnownAccounts()
            for name in names {
                let account = try known.settings.account(name)
                let collections = known.folders.mirrored(account.name)
                try known.change { settings in
                    settings.accounts.removeAll { $0.name == account.name }
                    for one in collections where one.kind == .calendar {
                        if settings.newEvents == one.folder { settings.newEvents = nil }
                        if settings.newReminders == one.folder { settings.newReminders = nil }
                    }
                }
                try? FileManager.default.removeItem(at: known.folders.state(of: account.name))
                known.console.line("\(account.name) removed")
                for one in collections {
                    let folder = known.folders.collections(one.kind).appending(path: one.folder)
                    known.console.line("  kept: \(folder.path)")
                }
            }
        }
    }

    /// `parley accounts use`
    struct Use: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Says in which calendar new events and reminders are created.")

        @Argument(help: "The folder of the calendar, as 'parley accounts list' shows it; 'personal' for this machine.")
        var folder: String

        @Flag(help: "For events alone.")
        var events = false

        @Flag(help: "For reminders alone.")
        var reminders = false

        func run() throws {
            var known = try KnownAccounts()
            let all = known.settings.accounts.flatMap { known.folders.mirrored($0.name) }
            let found = all.first { $0.kind == .calendar && $0.folder == folder && !$0.isGone }
            guard found != nil || folder == "personal" else {
                throw CommandError("There is no calendar \(folder). 'parley accounts list' lists them.")
            }
            if found?.isReadOnly == true { throw CommandError("The calendar \(folder) may only be read.") }
            try known.change { settings in
                for (component, isMeant) in [("VEVENT", events || !reminders), ("VTODO", reminders || !events)]
                where isMeant {
                    if let found, !found.components.contains(component) {
                        guard events || reminders else { continue }
                        throw CommandError("The calendar \(folder) does not take \(component).")
                    }
                    if component == "VEVENT" {
                        settings.newEvents = found?.folder
                    } else {
                        settings.newReminders = found?.folder
                    }
                }
            }
            known.console.line(known.settings.placesOfNewItems)
        }
    }
}

/// The accounts, as the commands about them find and show them.
struct KnownAccounts {
    /// What is told the user who has none.
    static let none = "No accounts. 'parley accounts add https://… --user NAME' adds one."

    let console = Console()
    let home: AssistantHome
    private(set) var settings: AccountSettings

    /// Reads the settings.
    ///
    /// - Throws: ``CommandError``, or `AssistantError`.
    init() throws {
        home = try AssistantHome(console: console)
        settings = try AccountSettings(at: home.accounts.settings)
    }

    /// Where the accounts keep their things.
    var folders: AccountFolders { home.accounts }

    /// Changes the settings; what another program has changed meanwhile stays.
    ///
    /// - Throws: `AssistantError`, as `AccountSettings.change(at:_:)`; what the change throws.
    mutating func change(_ body: (inout AccountSettings) throws -> Void) throws {
        settings = try AccountSettings.change(at: folders.settings, body)
    }

    /// Prints a value as JSON.
    ///
    /// - Throws: `EncodingError`.
    func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        console.write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }
}

extension CompletionKind {
    /// Completes the name of an account.
    static let account = CompletionKind.custom { _, _, _ in
        ((try? AccountSettings(at: AssistantHome().accounts.settings)) ?? AccountSettings()).accounts.map(\.name)
    }
}

extension AccountSettings {
    /// The account with a name.
    ///
    /// - Throws: ``CommandError`` if there is none.
    func account(_ name: String) throws -> Account {
        guard let account = accounts.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw CommandError("There is no account \(name). 'parley accounts list' lists the accounts.")
        }
        return account
    }

    /// Where new items are created, in a sentence.
    var placesOfNewItems: String {
        "New events go to \(newEvents ?? "personal"), new reminders to \(newReminders ?? "personal")."
    }
}
