// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyLocal
import ParleyModelFile
import ParleyModels
import ParleyRuntime
import ParleySystem
import Synchronization

/// Gets the models that commands ask for: finds them, fetches and loads them, and shows how that goes.
struct ModelLibrary: Sendable {
    /// The models on this machine.
    var store = ModelStore.standard(packageFetcher: PythonPackageFetcher())
    let console: Console

    /// The model to use where none is named.
    static var defaultModel: String { Catalog.builtIn.defaultEntry?.name ?? "" }

    /// Gets a model's file, and fetches it where it is not on this machine and `isOffline` does not forbid that.
    func file(of model: String, isOffline: Bool) async throws -> StoredModel {
        let found = try await install(model, isOffline: isOffline)
        store.markUsed(found.name)
        return found
    }

    /// Fetches a model, and says what it is.
    func pull(_ model: String, withProjector: Bool = false, isOffline: Bool) async throws -> URL {
        let isHere = try store.find(model) != nil
        let found = try await install(model, withProjector: withProjector, isOffline: isOffline)
        if !isHere { return found.url }
        guard let manifest = found.manifest else {
            throw CommandError(
                "\(model) is a file, not a model to fetch. 'parley models import \(model)' takes it in.")
        }
        let license = manifest.license.map { "; licence \($0)" } ?? ""
        console.note("\(PlainText.clean(manifest.name)) is here already\(license).")
        return found.url
    }

    /// Opens a model by its header: its file where it is here, else the beginning of the file on the web.
    func header(of model: String, isOffline: Bool) async throws -> GGUFFile {
        if let found = try store.find(model) { return try GGUFFile(contentsOf: found.url) }
        let reference = try ModelReference(parsing: model)
        let resolver = ModelResolver(catalog: store.catalog, hub: store.hub)
        return try await Interrupts.shared.cancelling {
            // What needs no network is found, or refused, without it.
            if isOffline { return try GGUFFile(contentsOf: try await store.install(model, isOffline: true).url) }
            return try await resolver.header(of: try await resolver.manifest(of: reference))
        }
    }

    /// Loads a model, fetching it first where it is missing; with `showsImages`, with the projector that came with it.
    func load(_ model: String, _ options: LoadingOptions, showsImages: Bool = false) async throws -> LoadedModel {
        let found = try await file(of: model, isOffline: options.fetching.offline)
        return try await load(found, options.configuration, options.computing, showsImages: showsImages)
    }

    /// Loads a model's file into the engine that was asked for, or the first that runs it; says why others do not.
    func load(
        _ found: StoredModel, _ configuration: LocalConfiguration, _ computing: ComputingOptions,
        showsImages: Bool = false
    ) async throws -> LoadedModel {
        var wanted = configuration
        let choice = try EngineChoice(
            computing.engine, for: found.url, with: showsImages ? found.projector : nil, among: computing.engines,
            &wanted)
        let configuration = wanted
        let display = LoadingDisplay()
        defer { display.clear() }
        let loaded = try await Interrupts.shared.cancelling {
            try await choice.engine.loadTokenModel(found.url, configuration) { display.show($0) }
        }
        display.clear()
        // Only now: of a file that no engine loads the error tells all.
        if !choice.passedOver.isEmpty {
            let reasons = choice.passedOver.map { "\($0)" }.joined(separator: "; ")
            console.note("Using \(choice.engine.name), because \(PlainText.clean(reasons))")
        }
        ContextWarning.show(
            requested: configuration.contextSize, trained: loaded.model.info.trainedContext, console: console)
        return LoadedModel(
            model: loaded.model, context: loaded.contextSize, engine: choice.engine.name, source: found)
    }

    private func install(
        _ model: String, withProjector: Bool = false, isOffline: Bool
    ) async throws -> StoredModel {
        let display = FetchDisplay(console: console)
        defer { display.clear() }
        let isFetching = Mutex(false)
        do {
            return try await Interrupts.shared.cancelling {
                try await store.install(
                    model, withProjector: withProjector, isOffline: isOffline,
                    willFetch: {
                        isFetching.withLock { $0 = true }
                        announce($0)
                    }, report: { display.show($0) })
            }
        } catch let error as CancellationError {
            display.clear()
            if isFetching.withLock({ $0 }) {
                let name = (try? ModelReference(parsing: model)).map { "\($0)" } ?? model
                console.note("Stopped. The downloaded part is kept; 'parley models pull \(name)' resumes the download.")
            }
            throw error
        }
    }

    /// Says what is going to be fetched.
    private func announce(_ manifest: ModelManifest) {
        let known = manifest.files.compactMap(\.byteCount)
        let size = known.count == manifest.files.count ? known.reduce(ByteSize.zero, +).description : nil
        let facts = [size, manifest.license.map { "licence \($0)" }].compactMap(\.self).joined(separator: ", ")
        let homepage = store.catalog[manifest.name].map { "\n\($0.homepage)" } ?? ""
        console.note("Fetching \(PlainText.clean(manifest.name))\(facts.isEmpty ? "" : ": ")\(facts)\(homepage)")
    }
}
