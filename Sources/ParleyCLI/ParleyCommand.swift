// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command line of Parley.
@main
struct ParleyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley",
        abstract: "Runs language models on this machine.",
        subcommands: [])
}
