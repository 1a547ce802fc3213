// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyModels

/// Gets the models that commands ask for: finds them, fetches and loads them, and shows how that goes.
struct ModelLibrary: Sendable {
    /// The models on this machine.
    var store = ModelStore.standard(packageFetcher: PythonPackageFetcher())
    let console: Console

    /// The model to use where none is named.
    static var defaultModel: String { Catalog.builtIn.defaultEntry?.name ?? "" }

    /// Finds a model's file and fetches it where it is missing.
    ///
    /// - Parameter isOffline: forbids fetching.
    func file(of model: String, isOffline: Bool) async throws -> StoredModel {
        var found = try store.find(model)
        if !found.isPresent, let manifest = found.entry?.manifest() {
            found.url = try await fetch(manifest, isOffline: isOffline).url
            found.isPresent = true
        }
        store.markUsed(found.name)
        return found
    }

    /// Fetches a model by its name or the address of its file, and says what it is.
    func pull(_ model: String, isOffline: Bool) async throws -> URL {
        if let url = URL(string: model), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) {
            return try await fetch(ModelManifest(fileAt: url), isOffline: isOffline).url
        }
        let found = try store.find(model)
        if found.isPresent {
            guard let manifest = found.manifest else {
                throw CommandError(
                    "\(model) is a file, not a model to fetch. 'parley models import \(model)' takes it in.")
            }
            let license = manifest.license.map { "; licence \($0)" } ?? ""
            console.note("\(manifest.name) is here already\(license).")
            return found.url
        }
        return try await file(of: model, isOffline: isOffline).url
    }

    /// Fetches what a manifest names.
    func fetch(_ manifest: ModelManifest, isOffline: Bool) async throws -> InstalledModel {
        guard !isOffline else {
            throw ModelStoreError(
                code: .offline,
                message: "\(manifest.name) is not on this machine, and --offline forbids fetching it.\n"
                    + "Run 'parley models pull \(manifest.name)' once with a network.")
        }
        let known = manifest.files.compactMap(\.byteCount)
        let size = known.count == manifest.files.count ? ["\(ByteSize(bytes: known.reduce(0, +)))"] : []
        let facts = (size + (manifest.license.map { ["licence \($0)"] } ?? [])).joined(separator: ", ")
        let homepage = store.catalog[manifest.name].map { "\n\($0.homepage)" } ?? ""
        console.note("Fetching \(manifest.name)\(facts.isEmpty ? "" : ": \(facts)")\(homepage)")
        let display = FetchDisplay(console: console)
        defer { display.clear() }
        do {
            return try await Interrupts.shared.cancelling {
                try await store.fetch(manifest) { display.show($0) }
            }
        } catch let error as CancellationError {
            display.clear()
            console.note("Stopped. What has come is kept; 'parley models pull \(manifest.origin)' goes on from there.")
            throw error
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

extension ModelManifest {
    /// What a single file on the web makes: a model with the name of the file.
    fileprivate init(fileAt url: URL) {
        let name = url.lastPathComponent
        let stem = name.lowercased().hasSuffix(".gguf") ? String(name.dropLast(5)) : name
        self.init(
            name: stem, origin: url.redacted.absoluteString, files: [ManifestFile(name: name, sources: [.web(url)])])
    }
}
