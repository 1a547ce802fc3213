// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels

extension CommandOutcome {
    /// The message without a name that is suggested for an unknown option and has little in common with it, as the library
    /// suggests for every short one.
    static func withoutFarName(_ message: String) -> String {
        guard let match = message.wholeMatch(of: /(Unknown option '-*(.+)')\. Did you mean '-*(.+)'\?/),
            nearestNames(to: String(match.2), among: [String(match.3)]).isEmpty
        else { return message }
        return String(match.1)
    }

    /// A message about an argument that is not a valid command, with a second line that refers to the help; nil if all
    /// commands are valid. After the word `help`, the next word is a command too.
    static func misspelling(in arguments: [String]) -> String? {
        var path = ["parley"]
        var subcommands = ParleyCommand.configuration.subcommands
        for argument in arguments {
            guard !argument.hasPrefix("-"), !subcommands.isEmpty else { return nil }
            if argument == "help" { continue }
            guard
                let next = subcommands.first(where: {
                    $0.configuration.commandName == argument || $0.configuration.aliases.contains(argument)
                })
            else {
                let names = subcommands.compactMap { $0.configuration.commandName }
                let meant = nearestNames(to: argument, among: names).first.map { " Did you mean '\($0)'?" } ?? ""
                return "There is no command '\(argument)'.\(meant)\n"
                    + "See '\(path.joined(separator: " ")) --help' for more information."
            }
            path.append(argument)
            subcommands = next.configuration.subcommands
        }
        return nil
    }
}
