// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels

extension CommandOutcome {
    /// A message about a word that should be a command but is none, with a second line that says where help is; nil
    /// where every such word is a command. The word `help` asks for help about the command that follows.
    static func misspelling(in arguments: [String]) -> String? {
        var path = ["parley"]
        var subcommands = ParleyCommand.configuration.subcommands
        for argument in arguments {
            guard !argument.hasPrefix("-"), !subcommands.isEmpty else { return nil }
            if argument == "help" { continue }
            guard let next = subcommands.first(where: { $0.configuration.commandName == argument }) else {
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
