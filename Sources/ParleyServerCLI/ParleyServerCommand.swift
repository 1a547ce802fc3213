// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleySystem

/// The program `parley-server`, which `parley serve` hands over to.
@main
struct ParleyServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley serve",
        abstract: "Serves models over HTTP to every program that speaks OpenAI's API.",
        version: programVersion, subcommands: [ServeCommand.self, KeysCommand.self],
        defaultSubcommand: ServeCommand.self)

    /// Help without the name of a command is that of the usual one, whose options are looked for.
    private static func withUsualCommand(_ arguments: [String]) -> [String] {
        [["--help"], ["-h"], ["help"]].contains(arguments) ? ["help", "run"] : arguments
    }

    static func main() async {
        // Writing to a reader who has gone is an error of that write alone.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot(withUsualCommand(Array(CommandLine.arguments.dropFirst())))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let status = exitCode(for: error)
            if status == .success {
                print(fullMessage(for: error))
            } else {
                let isUsage = status == .validationFailure
                let mistake = isUsage ? UsageMistake(error, of: Self.self) : nil
                let lines = [mistake?.message ?? "\(error)", mistake?.hint].compactMap(\.self)
                StandardError.write("parley-server: \(PlainText.clean(lines.joined(separator: "\n")))\n")
                Foundation.exit(isUsage ? 2 : 1)
            }
        }
    }
}
