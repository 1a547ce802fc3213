// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels

extension CommandOutcome {
    /// A message about an argument that is not a valid command, with a second line that refers to the help; nil if all
    /// commands are valid. After the word `help`, the next word is a command too.
    static func misspelling(in arguments: [String]) -> String? {
        let (command, subcommands, unknown) = walk(arguments)
        return unknown.map { argument in
            let names = subcommands.compactMap { $0.configuration.commandName }
            let meant = nearestNames(to: argument, among: names).first.map { " Did you mean '\($0)'?" } ?? ""
            return "There is no command '\(argument)'.\(meant)\nSee '\(command) --help' for more information."
        }
    }

    /// The command that the arguments name, such as `parley models pull`.
    static func command(in arguments: [String]) -> String { walk(arguments).command }

    /// Follows the arguments as far as they name commands.
    ///
    /// - Returns: the command, its subcommands, and the argument that should be one of these but is not; nil for none.
    private static func walk(
        _ arguments: [String]
    ) -> (command: String, subcommands: [any ParsableCommand.Type], unknown: String?) {
        var path = ["parley"]
        var subcommands = ParleyCommand.configuration.subcommands
        var unknown: String?
        for argument in arguments {
            guard !argument.hasPrefix("-"), !subcommands.isEmpty else { break }
            if argument == "help" { continue }
            guard
                let next = subcommands.first(where: {
                    $0.configuration.commandName == argument || $0.configuration.aliases.contains(argument)
                })
            else {
                unknown = argument
                break
            }
            path.append(argument)
            subcommands = next.configuration.subcommands
        }
        return (path.joined(separator: " "), subcommands, unknown)
    }
}
