// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ParleyModelFile

extension ModelStore {
    /// The model that is meant, where it is on this machine: in the store, by name or by what it was fetched as, or a
    /// `.gguf` file at a path. The network is not used.
    ///
    /// - Returns: nil where the model would have to be resolved and fetched.
    /// - Throws: ``ModelStoreError`` with code `invalidReference`, or `fileNotFound` for a model whose file, which
    ///   stays outside the store, is gone.
    public func locate(_ model: String) throws -> StoredModel? {
        let reference = try ModelReference(parsing: model)
        if case .catalog(let name, let quantization) = reference, let entry = catalog[name] {
            let key = entry.name(of: quantization ?? entry.quantization)
            guard key != entry.name else {
                let found = try find(entry.name)
                return found.isPresent ? found : nil
            }
            return installed(key).flatMap { $0.isComplete ? StoredModel($0, entry: entry) : nil }
        }
        let origin = reference.description
        let meant = installed().first { installed in
            installed.isComplete
                && (installed.manifest.origin == origin || installed.name.lowercased() == model.lowercased()
                    || "hf:\(installed.name)".lowercased() == origin.lowercased())
        }
        if let meant { return StoredModel(meant) }
        if let gone = installed().first(where: { $0.name.lowercased() == model.lowercased() }) { try refuse(gone) }
        if case .file(let url) = reference, url.pathExtension.lowercased() == "json" { return nil }
        guard let found = try? find(model), found.isPresent else { return nil }
        return found
    }

    /// Throws where a file that was imported by reference is not there any more.
    private func refuse(_ model: InstalledModel) throws {
        let files = model.references.map(model.url)
        guard let file = files.first(where: { !FileManager.default.fileExists(atPath: $0.path) }) else { return }
        throw ModelStoreError(
            code: .fileNotFound,
            message: "\(model.name) was imported by reference, and its file is no longer at "
                + "\(Self.destination(of: file)). Put it back, or remove the model with "
                + "'parley models remove \(model.name)'.")
    }

    /// The model that is meant, where it is on this machine; what cannot be meant is an error. The network is not used.
    ///
    /// - Returns: nil where the model would have to be resolved and fetched.
    /// - Throws: ``ModelStoreError`` with code `invalidReference`, `unknownModel`, `fileNotFound` or `invalidManifest`.
    public func recognize(_ model: String) throws -> StoredModel? {
        if let found = try locate(model) { return found }
        switch try ModelReference(parsing: model) {
        case .catalog(let name, _):
            if catalog[name] == nil { throw catalog.unknown(name, others: installed().map(\.name)) }
        case .file(let url):
            let manifest = try ModelResolver(catalog: catalog, hub: hub).fileManifest(url)
            return manifest.localFile.map { StoredModel(url: $0, manifest: manifest, isPresent: true) }
        case .hub, .web, .pythonPackage: break
        }
        return nil
    }

    /// Gets a model that was asked for in any of its forms: from this machine where it is here, else from where it
    /// comes.
    ///
    /// A file at a path, or one that a manifest at a path names, is used where it is.
    ///
    /// - Parameters:
    ///   - model: a name, an address or a path; see ``ModelReference/init(parsing:)``.
    ///   - resolver: finds out what the model consists of; nil makes one for this store's catalog.
    ///   - withProjector: whether a model on the hub comes with what lets it see; see ``ModelResolver``.
    ///   - isOffline: forbids the network.
    ///   - willFetch: told what will be fetched, before it is.
    ///   - report: told how the fetching goes; see ``FetchEvent``.
    /// - Returns: where the model's files are.
    /// - Throws: ``ModelStoreError``, with code `offline` where the network would be needed and may not be used;
    ///   `CancellationError`.
    public func obtain(
        _ model: String, resolver: ModelResolver? = nil, withProjector: Bool = false, isOffline: Bool = false,
        willFetch: (ModelManifest) -> Void = { _ in }, report: @escaping @Sendable (FetchEvent) -> Void = { _ in }
    ) async throws -> StoredModel {
        if let found = try locate(model), !withProjector || found.projector != nil { return found }
        let reference = try ModelReference(parsing: model)
        if isOffline, needsNetwork(reference) { throw Self.offline(reference) }
        let resolver = resolver ?? ModelResolver(catalog: catalog, hub: hub)
        let manifest = try await resolver.manifest(of: reference, withProjector: withProjector)
        if let file = manifest.localFile { return StoredModel(url: file, manifest: manifest, isPresent: true) }
        if isOffline { throw Self.offline(reference) }
        willFetch(manifest)
        let installed = try await fetch(manifest, report: report)
        var entry: CatalogEntry?
        if case .catalog(let name, _) = reference { entry = catalog[name] }
        return StoredModel(installed, entry: entry)
    }

    /// Whether finding out what is meant takes the network; a wrong name or path is told without it.
    private func needsNetwork(_ reference: ModelReference) -> Bool {
        switch reference {
        case .catalog(let name, _): catalog[name] != nil
        case .file: false
        case .hub, .web, .pythonPackage: true
        }
    }

    private static func offline(_ reference: ModelReference) -> ModelStoreError {
        ModelStoreError(
            code: .offline,
            message: "\(reference) is not on this machine, and the network may not be used (--offline).\n"
                + "'parley models pull \(reference)' fetches it.")
    }
}

extension StoredModel {
    /// The sampling that suits it, for what its file leaves open.
    public var sampling: SamplingDefaults? { manifest?.sampling ?? entry?.sampling }
}
