// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Logging
import ParleyCommandLine
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyPython
import ParleyRuntime

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
    var cache: CacheOptions

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
        var configuration = LocalConfiguration(
            contextSize: context, threads: computing.threads, timelines: 1,
            projector: projector.map { URL(filePath: $0) }, loadsOwnProjector: false, locksMemory: mlock)
        configuration.cacheType = cache.cacheType
        configuration.power = computing.power
        configuration.logger = fetching.logger
        return configuration
    }

    /// Loads a model for a conversation, and says what the model lacks.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - images: the images that the conversation shows first.
    ///   - caches: the folder in which caches outlast the process; nil to keep none.
    ///   - console: where it is said.
    /// - Returns: a runner of the loaded model.
    /// - Throws: as `LocalModelRunner.load`; ``CommandError`` where there are images and the model sees none.
    func runner(
        of model: String, showing images: [Data], keeping caches: CacheFolder? = nil, console: Console
    ) async throws -> LocalModelRunner {
        var wanted = configuration
        wanted.caches = caches
        wanted.loadsOwnProjector = !images.isEmpty
        let (configuration, computing, isOffline) = (wanted, computing, fetching.offline)
        let runner = try await LoadingDisplay(model: model, console: console).during { report in
            try await LocalModelRunner.load(
                model, engines: computing.engines, preference: computing.engine, store: fetching.store,
                isOffline: isOffline, configuration: configuration, progress: report)
        }
        let name = runner.modelID
        ContextWarning.show(requested: context, trained: runner.info.trainedContext, console: console)
        if !runner.hasChatTemplate {
            console.note("\(name) has no chat template; ChatML is used. It may be a base model, which does not chat.")
        }
        if !images.isEmpty, !runner.seesImages {
            throw CommandError(
                "\(name) does not see images. Leave them out, or use a model that does; with llama.cpp, --mmproj FILE "
                    + "loads a projector.")
        }
        return runner
    }
}

/// The options of commands that may fetch a model.
struct FetchingOptions: ParsableArguments {
    @Flag(help: "Never use the network.")
    var offline = false

    @Flag(help: "Log to standard error what is downloaded, loaded and kept, as PARLEY_LOG=debug does.")
    var verbose = false

    /// The log.
    var logger: Logger { .commandLine(isVerbose: verbose) }

    /// The models on this machine.
    var store: ModelStore {
        var store = ModelStore.ofCommands
        store.logger = logger
        return store
    }

    /// Gets a model's file, fetching it where it is missing, and notes that the model is used.
    ///
    /// - Throws: `ModelStoreError`; `CancellationError`.
    func file(of model: String, console: Console) async throws -> StoredModel {
        let store = store
        let found = try await store.install(model, isOffline: offline, console: console)
        store.markUsed(found.name)
        return found
    }
}
