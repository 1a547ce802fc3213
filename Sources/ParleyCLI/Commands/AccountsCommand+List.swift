// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyHTTP
import ParleySystem

extension AccountsCommand {
    /// `parley accounts list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the accounts and their collections.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let known = try KnownAccounts()
            let (console, settings, folders) = (known.console, known.settings, known.folders)
            let kept = folders.keptFiles()
            if json { return try known.print(Self.listing(settings, folders, kept)) }
            for account in settings.accounts {
                let user = account.user.map { "  \($0)" } ?? ""
                console.line("\(account.name)  \(account.url.redacted.absoluteString)\(PlainText.clean(user))")
                for one in folders.mirrored(account.name) { console.line(one.line) }
            }
            if settings.accounts.isEmpty {
                return console.note(KnownAccounts.none)
            }
            console.line(settings.placesOfNewItems)
            if !kept.isEmpty {
                let items = kept.count == 1 ? "an item that was" : "\(kept.count) items that were"
                console.line("Your versions of \(items) changed on both sides:")
                for file in kept.prefix(20) { console.line("  " + PlainText.clean(file.path)) }
                if kept.count > 20 { console.line("  and \(kept.count - 20) more") }
            }
        }

        private struct Listing: Encodable {
            var accounts: [Row]
            var newEvents: String
            var newReminders: String
            var conflicts: [String]

            struct Row: Encodable {
                var name: String
                var url: URL
                var user: String?
                var collections: [Collection]
            }

            struct Collection: Encodable {
                var folder: String
                var path: String
                var kind: String
                var title: String?
                var colour: String?
                var components: [String]
                var isReadOnly: Bool
                var isGone: Bool
            }
        }

        private static func listing(
            _ settings: AccountSettings, _ folders: AccountFolders, _ kept: [URL]
        ) -> Listing {
            let rows = settings.accounts.map { account in
                Listing.Row(
                    name: account.name, url: account.url.redacted, user: account.user,
                    collections: folders.mirrored(account.name).map { one in
                        Listing.Collection(
                            folder: one.folder, path: folders.collections(one.kind).appending(path: one.folder).path,
                            kind: one.kind.rawValue, title: one.title, colour: one.colour, components: one.components,
                            isReadOnly: one.isReadOnly, isGone: one.isGone)
                    })
            }
            return Listing(
                accounts: rows, newEvents: settings.newEvents ?? "personal",
                newReminders: settings.newReminders ?? "personal", conflicts: kept.map(\.path))
        }
    }
}
