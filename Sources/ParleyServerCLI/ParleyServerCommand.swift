// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The program `parley-server`, which `parley serve` hands over to.
@main
struct ParleyServerCommand: AsyncParsableCommand {
    /// The version of the program, which fingerprints name too.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "parley serve",
        abstract: "Serves models over HTTP to every program that speaks OpenAI's API.",
        version: version, subcommands: [ServeCommand.self, KeysCommand.self], defaultSubcommand: ServeCommand.self)
}
