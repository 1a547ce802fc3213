// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyCommandLine
import ParleyHTTP
import ParleySystem

extension AccountsCommand {
    /// `parley accounts add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds an account, and finds its calendars and address books.",
            discussion: """
                Without an option for the password, it is taken from the variable PARLEY_PASSWORD_NAME, where NAME is \
                the account's name in capitals. Passwords go over https only, or stay on this machine.
                """)

        @Argument(help: ArgumentHelp("The address, such as https://dav.example.org/.", valueName: "url"))
        var address: String

        @Option(
            help: ArgumentHelp(
                "The user. (default: none; the server is asked without credentials)", valueName: "name"))
        var user: String?

        @Option(help: "The account's name, by which its folders are named too. (default: from the host)")
        var name: String?

        @Option(
            help: ArgumentHelp(
                "A command of the shell whose first line of output is the password, such as 'pass show dav'.",
                valueName: "command"))
        var passwordCommand: String?

        @Option(
            help: ArgumentHelp(
                "A file that only you may read, with the password in its first line.", valueName: "file"),
            completion: .file())
        var passwordFile: String?

        @Option(help: ArgumentHelp("The variable of the environment with the password.", valueName: "variable"))
        var passwordEnv: String?

        mutating func validate() throws {
            let sources = [passwordCommand, passwordFile, passwordEnv].compactMap { $0 }
            if sources.count > 1 { throw ValidationError("Give one place of the password.") }
            if user == nil, !sources.isEmpty { throw ValidationError("A password needs a --user.") }
        }

        func run() async throws {
            var known = try KnownAccounts()
            try known.home.create()
            let folders = known.folders
            guard let url = URL(string: address) else { throw CommandError("\(address) is not an address.") }
            let name = name ?? Self.name(for: url, besides: known.settings.accounts.map(\.name))
            var account = try Account(name: name, url: url, user: user)
            account.passwordCommand = passwordCommand.map { ["/bin/sh", "-c", $0] }
            account.passwordFile = passwordFile.map {
                $0.hasPrefix("~") ? $0 : URL(filePath: $0).standardizedFileURL.path
            }
            account.passwordEnvironment = passwordEnv
            try Self.requireFree(name, in: known.settings)
            try Self.checkPassword(of: account)
            let found = try await Interrupts.shared.cancelling { [account] in
                try await AccountSync(account, in: folders).discover()
            }
            try known.change { settings in
                try Self.requireFree(name, in: settings)
                settings.accounts.append(account)
                for one in found where one.kind == .calendar && !one.isReadOnly {
                    if settings.newEvents == nil, one.components.contains("VEVENT") { settings.newEvents = one.folder }
                    if settings.newReminders == nil, one.components.contains("VTODO") {
                        settings.newReminders = one.folder
                    }
                }
            }
            known.console.line("\(name) added")
            for one in found { known.console.line(one.line) }
            known.console.line(known.settings.placesOfNewItems + " 'parley accounts use' changes that.")
            known.console.note("'parley accounts sync' fetches what is in them.")
        }

        private static func requireFree(_ name: String, in settings: AccountSettings) throws {
            guard !settings.accounts.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw CommandError("There is an account \(name) already; choose another --name.")
            }
        }

        /// Checks what needs no server: that a password goes there encrypted, and that there is one.
        private static func checkPassword(of account: Account) throws {
            guard let user = account.user else { return }
            let host = account.url.host() ?? ""
            try DAVServer.checkSecrecy(of: account.url, environment: .process)
            let variable = account.passwordEnvironment ?? Account.usualVariable(account.name)
            let hasPlace = account.passwordCommand != nil || account.passwordFile != nil
            guard hasPlace || ProcessEnvironment.process[variable] != nil else {
                throw CommandError(
                    "There is no password for the user \(user) of \(host): set \(variable), or give --password-command "
                        + "or --password-file.")
            }
        }

        /// A name that is still free, from the host's.
        private static func name(for url: URL, besides taken: [String]) -> String {
            let labels = (url.host() ?? "").split(separator: ".").map(String.init)
            let isNumber = labels.allSatisfy { $0.allSatisfy(\.isNumber) }
            let label = isNumber || labels.isEmpty ? "server" : labels[max(0, labels.count - 2)]
            let stem = String(label.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(30))
            var (name, number) = (stem.isEmpty ? "server" : stem, 2)
            while taken.contains(where: { $0.lowercased() == name.lowercased() }) {
                (name, number) = ("\(stem)\(number)", number + 1)
            }
            return name
        }
    }
}

extension MirroredCollection {
    /// The collection in a line: folder, name, what it is.
    var line: String {
        var parts = [kind == .contacts ? "contacts" : components.joined(separator: ", ")]
        if isReadOnly { parts.append("may only be read") }
        if isGone { parts.append("no longer on the server") }
        let title = title.map { "  \(PlainText.clean($0))" } ?? ""
        return "  \(folder)\(title)  (\(parts.joined(separator: "; ")))"
    }
}
