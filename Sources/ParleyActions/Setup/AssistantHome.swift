// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyFiles

/// Where the assistant keeps the user's data: folders in Parley's data directory, which other programs read too.
package struct AssistantHome: Sendable {
    /// The directory.
    package let directory: URL
    /// Folders of the user's choice, and the search engine: those of the file, of which options may take the place.
    package var settings = AssistantSettings()
    /// The settings of the file. Accounts keep to their folders, whatever options name for a time.
    private var usual = AssistantSettings()

    /// A directory, as if it had no settings.
    package init(_ directory: URL) { self.directory = directory }

    /// A directory with the settings in it.
    ///
    /// - Throws: ``AssistantError``, as ``AssistantSettings/init(in:)``.
    package init(reading directory: URL) throws(AssistantError) {
        self.init(directory)
        usual = try AssistantSettings(in: directory)
        settings = usual
    }

    /// Events and to-dos: a folder for each collection, a file for each item.
    package var calendars: URL {
        settings.calendars ?? directory.appending(path: "calendars", directoryHint: .isDirectory)
    }
    /// Whether the calendars are those in which accounts have their folders.
    package var hasAccountCalendars: Bool { settings.calendars == usual.calendars }
    /// Notes in Markdown.
    package var notes: URL { settings.notes ?? directory.appending(path: "notes", directoryHint: .isDirectory) }
    /// A text file for each habit.
    package var habits: URL { directory.appending(path: "habits", directoryHint: .isDirectory) }
    /// Address books: folders of vCards.
    package var contacts: URL {
        settings.contacts ?? directory.appending(path: "contacts", directoryHint: .isDirectory)
    }
    /// Calendars and contacts on servers.
    package var accounts: AccountFolders {
        AccountFolders(directory, calendars: usual.calendars, contacts: usual.contacts)
    }
    /// The log of what was done.
    package var log: URL { directory.appending(path: "actions.jsonl") }
    /// The servers of tools.
    package var servers: URL { directory.appending(path: "mcp.json") }
    /// The chats.
    package var chats: URL { directory.appending(path: "sessions", directoryHint: .isDirectory) }
    /// What was uploaded for chats.
    package var attachments: URL { directory.appending(path: "attachments", directoryHint: .isDirectory) }
    /// What models have computed of chats.
    package var caches: URL { directory.appending(path: "cache/chats", directoryHint: .isDirectory) }

    /// The reminders.
    package func reminders(_ timeZone: TimeZone = .current) -> ReminderItems {
        ReminderItems(folder("reminders", calendars, "ics", depth: 2), timeZone: timeZone)
    }

    /// The stores over the folders.
    ///
    /// - Parameters:
    ///   - settings: says in which calendars new items are created, and which may only be read.
    ///   - timeZone: the user's zone.
    ///   - changed: called after each change of an event or a reminder.
    /// - Returns: the stores.
    package func stores(
        _ settings: AccountSettings = AccountSettings(), timeZone: TimeZone = .current,
        changed: @escaping @Sendable () -> Void = {}
    ) -> AssistantStores {
        let (accounts, names) = (accounts, settings.accounts.map(\.name))
        func items(_ name: String) -> MirroredItems {
            MirroredItems(
                folder(name, calendars, "ics", depth: 2),
                readOnly: {
                    Set(names.flatMap(accounts.mirrored).filter { $0.kind == .calendar && $0.isReadOnly }.map(\.folder))
                }, changed: changed)
        }
        return AssistantStores(
            calendar: CalendarItems(items("calendar"), timeZone: timeZone, folder: settings.newEvents ?? "personal"),
            reminders: ReminderItems(
                items("reminders"), timeZone: timeZone, folder: settings.newReminders ?? "personal"),
            notes: NoteFolder(notes), habits: HabitFolder(habits), contacts: ContactBook(folder: contacts))
    }

    /// Creates the directory.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package func create() throws(AssistantError) {
        do {
            try FilePlace.create(directory)
        } catch {
            throw AssistantError(
                .storeUnavailable, "\(error.message) Set PARLEY_HOME to a directory that can be written.", cause: error)
        }
    }

    private func folder(_ name: String, _ url: URL, _ suffix: String, depth: Int) -> FolderStore {
        FolderStore(name: name, folder: url, suffix: suffix, depth: depth)
    }
}
