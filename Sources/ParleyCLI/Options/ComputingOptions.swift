// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyRuntime
import ParleySystem
public import ParleyTensor

/// The options for the engine, its threads and its instruction set.
struct ComputingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The engine to run the model with ('parley engines'); automatic is the first that can run the model.",
            valueName: "automatic|name"), completion: .engine)
    var engine = EnginePreference.automatic

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of threads. (default: one for each core)", valueName: "n"))
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "The instruction set of the native kernels. (default: the best of this machine)", valueName: "name"))
    var isa: InstructionSet?

    @Option(help: .power)
    var power = PowerPolicy.automatic

    mutating func validate() throws {
        try engine.validate()
        try OptionRange(ThreadCount.range).check(threads, of: "--threads")
        try isa?.checkAvailable()
    }

    /// Whether an engine or a way to compute was asked for, besides the number of threads.
    var isChosen: Bool { engine != .automatic || isa != nil || power != .automatic }

    /// The number of threads that engines use.
    var usedThreads: Int { threads ?? ThreadCount.usual }

    /// The kernels to use.
    var instructionSet: InstructionSet { isa ?? .best }

    /// The engines to choose from.
    var engines: [EngineDescriptor] { EngineDescriptor.builtIn(instructionSet: instructionSet) }

    /// The options that make another process of this program compute the same way.
    var arguments: [String] {
        ["--engine", engine.description] + (threads.map { ["--threads", "\($0)"] } ?? [])
            + (isa.map { ["--isa", $0.rawValue] } ?? []) + ["--power", power.rawValue]
    }

    /// Loads a model's file for measurements of text, and shows how that goes.
    ///
    /// - Throws: as ``/ParleyLocal/LoadedModel``.
    func load(
        _ found: StoredModel, _ configuration: LocalConfiguration, console: Console
    ) async throws -> LoadedModel {
        var textOnly = configuration
        textOnly.loadsOwnProjector = false
        let (engines, preference, configuration) = (engines, engine, textOnly)
        let loaded = try await LoadingDisplay(model: found.name, console: console).during { report in
            try await LoadedModel(
                found, engines: engines, preference: preference, configuration: configuration, progress: report)
        }
        ContextWarning.show(
            requested: configuration.contextSize, trained: loaded.model.info.trainedContext, console: console)
        return loaded
    }
}

extension ComputingOptions {
    /// Loads a model's file into the engine of its own kind, also into one that answers whole messages, and shows how that
    /// goes.
    ///
    /// - Throws: `ConversationError` if no engine can run the model; any error of the engine; `CancellationError`.
    func loadEngine(
        _ found: StoredModel, _ configuration: LocalConfiguration, console: Console
    ) async throws -> EngineModel {
        let choice = try EngineChoice(engine, for: found.url, among: engines)
        return try await LoadingDisplay(model: found.name, console: console).during { report in
            report(.chosen(choice))
            return try await choice.engine.load(found.url, configuration) { report(.loading($0)) }
        }
    }
}

extension InstructionSet: ExpressibleByArgument {
    /// Checks that this machine can run what `--isa` names.
    ///
    /// - Throws: `ValidationError` with those that it can run.
    func checkAvailable() throws {
        if isAvailable { return }
        let available = InstructionSet.allCases.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")
        throw ValidationError("This machine cannot run --isa \(rawValue). It can run: \(available).")
    }
}
