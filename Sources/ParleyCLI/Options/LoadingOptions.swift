// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyLocal
import ParleyLocalEngines
import ParleyModels

/// The options of commands that load a model.
struct LoadingOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Context length in tokens. (default: as trained, at most 8192 and what memory allows)", valueName: "n"
        ))
    var context: Int?

    @Option(
        name: .customLong("mmproj"),
        help: ArgumentHelp("The projector for images (llama.cpp only).", valueName: "file"),
        completion: .file(extensions: ["gguf"]))
    var projector: String?

    @Flag(help: "Lock the weights in memory, so that they are never swapped out.")
    var mlock = false

    @OptionGroup
    var computing: ComputingOptions

    @OptionGroup
    var fetching: FetchingOptions

    mutating func validate() throws {
        try OptionRange.tokens.check(context, of: "--context")
        if projector != nil, !EngineDescriptor.builtIn.contains(where: { $0.capabilities.contains(.vision) }) {
            throw ValidationError(
                "This build of parley has no engine for images, which --mmproj is for. \(EnginePreference.buildingLlamaCppIn)"
            )
        }
    }

    /// The configuration for loading. A command has one conversation.
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
