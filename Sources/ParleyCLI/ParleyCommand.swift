// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Logging
import ParleyCommandLine

/// The command line of Parley.
@main
struct ParleyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley",
        abstract: "Runs language models on this machine.",
        discussion: """
            Start with 'parley chat': it fetches a small model once (98 MB) and talks. Models are kept in \
            $PARLEY_HOME, or in the place the system has for such data. What you type leaves the machine only through \
            --remote, a search engine, an account or a tool that you set up.
            """,
        version: programVersion,
        subcommands: [
            ChatCommand.self, AssistantCommand.self, ReplayCommand.self, RemindCommand.self, AccountsCommand.self,
            RunCommand.self,
            ServeCommand.self, ModelsCommand.self, InfoCommand.self, TokenizeCommand.self,
            RenderCommand.self, ConvertCommand.self, ConstrainCommand.self, ScoreCommand.self, EmbedCommand.self,
            TranscribeCommand.self, SpeechLogitsCommand.self, BenchCommand.self, EnginesCommand.self,
        ])

    static func main() async {
        StandardStreams.hold()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == ServeCommand.configuration.commandName {
                try ServeCommand.handOver(Array(arguments.dropFirst()))
            }
            var command = try parseAsRoot()
            if let remark = Logger.remarkOnLevel() { Console().note(remark) }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let outcome = CommandOutcome(of: error, arguments: arguments)
            if !outcome.text.isEmpty {
                if outcome.status == 0 { Console().write(outcome.text) } else { Console().error(outcome.text) }
            }
            Foundation.exit(outcome.status)
        }
    }
}
