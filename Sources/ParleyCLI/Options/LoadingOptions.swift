// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyEngine

/// The options of commands that load a model.
struct LoadingOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: "Tokens of conversation to hold. (default: as trained, at most 8192 and what memory allows)")
    var context: Int?

    @OptionGroup
    var computing: ComputingOptions

    @OptionGroup
    var fetching: FetchingOptions

    mutating func validate() throws {
        if let context, context < 1 { throw ValidationError("--context must be 1 or more, not \(context).") }
    }

    /// How the engine is to load.
    var configuration: EngineConfiguration {
        EngineConfiguration(
            context: context, threads: computing.threads, instructionSet: computing.instructionSet)
    }
}

/// The option of commands that may fetch a model.
struct FetchingOptions: ParsableArguments {
    @Flag(help: "Never use the network.")
    var offline = false
}
