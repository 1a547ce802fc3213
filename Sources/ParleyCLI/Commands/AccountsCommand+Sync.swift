// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyCommandLine
import ParleySystem

extension AccountsCommand {
    /// `parley accounts sync`
    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync", abstract: "Fetches what changed on the servers, and sends what changed here.",
            discussion: """
                What both sides changed is the server's version afterwards; yours is kept in $PARLEY_HOME/conflicts. \
                The exit status is 1 if an account could not be synchronised.
                """)

        @Argument(help: "The accounts' names. (default: all)", completion: .account)
        var names: [String] = []

        @Flag(help: "Keep running, and synchronise again and again. Ctrl-C ends it.")
        var watch = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The seconds between two synchronisations with --watch, at least 5.", valueName: "n"))
        var every = 60

        @Flag(help: "Delete any number of items on the servers, if as many files are missing here.")
        var deleteAny = false

        @Flag(help: "Print a JSON object for each synchronisation.")
        var json = false

        mutating func validate() throws {
            try OptionRange(5...86_400).check(every, of: "--every")
            if watch, deleteAny { throw ValidationError("--delete-any is for a single synchronisation.") }
        }

        func run() async throws {
            let known = try KnownAccounts()
            let accounts = names.isEmpty ? known.settings.accounts : try names.map { try known.settings.account($0) }
            guard !accounts.isEmpty else { throw CommandError(KnownAccounts.none) }
            var isComplete = true
            repeat {
                isComplete = true
                for account in accounts {
                    let report = try await report(account, known.folders)
                    isComplete = isComplete && report.isComplete
                    if json {
                        try known.print(SyncRow(report))
                    } else if !watch || !report.isQuiet {
                        for line in report.lines { known.console.line(PlainText.clean(line)) }
                    }
                }
                let pause = every
                if watch { try await Interrupts.shared.cancelling { try await Task.sleep(for: .seconds(pause)) } }
            } while watch
            if !isComplete { throw ExitCode.failure }
        }

        private func report(_ account: Account, _ folders: AccountFolders) async throws -> AccountReport {
            var options = CollectionSync.Options()
            options.deletesAny = deleteAny
            return try await Interrupts.shared.cancelling { [options] in
                try await AccountSync(account, in: folders).run(options: options)
            }
        }
    }

    /// A report as JSON.
    private struct SyncRow: Encodable {
        var account: String
        var isComplete: Bool
        var isOffline: Bool
        var problem: String?
        var collections: [Collection]

        struct Collection: Encodable {
            var folder: String
            var received: Int
            var removed: Int
            var sent: Int
            var deleted: Int
            var conflicts: [Conflict]
            var unsent: [String]
            var notices: [String]
            var problem: String?
        }

        struct Conflict: Encodable {
            var item: String
            var text: String
            var kept: String?
        }

        init(_ report: AccountReport) {
            (account, isComplete, isOffline) = (report.account, report.isComplete, report.isOffline)
            problem = report.problem
            collections = report.collections.map { one in
                Collection(
                    folder: one.folder, received: one.received, removed: one.removed, sent: one.sent,
                    deleted: one.deleted,
                    conflicts: one.conflicts.map { Conflict(item: $0.item, text: $0.text, kept: $0.kept?.path) },
                    unsent: one.unsent, notices: one.notices, problem: one.problem)
            }
        }
    }
}

extension AccountReport {
    /// Whether there is nothing to tell.
    var isQuiet: Bool {
        isComplete && collections.allSatisfy { !$0.hasChanges && $0.conflicts.isEmpty && $0.notices.isEmpty }
    }

    /// The report in lines: first what was done, then what the user should look at.
    var lines: [String] {
        var lines: [String] = []
        let (received, removed) = (collections.map(\.received).reduce(0, +), collections.map(\.removed).reduce(0, +))
        let (sent, deleted) = (collections.map(\.sent).reduce(0, +), collections.map(\.deleted).reduce(0, +))
        if problem == nil {
            let from = "\(received) received, \(removed) removed"
            lines.append("\(account): \(from), \(sent) sent, \(deleted) deleted on the server")
        }
        return lines + problemLines + warnings.map { "  " + $0 }
    }
}
