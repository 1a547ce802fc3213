// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyLocal

/// The options of commands that load a model.
struct LoadingOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: "Tokens of conversation to hold. (default: as trained, at most 8192 and what memory allows)")
    var context: Int?

    @Option(
        name: .customLong("mmproj"), help: "The projector that lets the model see images (llama.cpp only).",
        completion: .file(extensions: ["gguf"]))
    var projector: String?

    @Flag(help: "Lock the weights in memory, so that they are never swapped out.")
    var mlock = false

    @OptionGroup
    var computing: ComputingOptions

    @OptionGroup
    var fetching: FetchingOptions

    mutating func validate() throws {
        if let context, context < 1 { throw ValidationError("--context must be 1 or more, not \(context).") }
    }

    /// How the engine is to load. A command holds one conversation.
    var configuration: LocalConfiguration {
        LocalConfiguration(
            contextSize: context, threads: computing.threads, timelines: 1,
            projector: projector.map { URL(filePath: $0) }, locksMemory: mlock)
    }
}

/// The option of commands that may fetch a model.
struct FetchingOptions: ParsableArguments {
    @Flag(help: "Never use the network.")
    var offline = false
}
