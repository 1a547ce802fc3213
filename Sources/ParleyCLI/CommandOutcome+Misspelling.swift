// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels

extension CommandOutcome {
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
