// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyModelFile

extension ModelStore {
    /// Fetches a model of the catalog, unless it is here already; see ``fetch(_:report:)-(ModelManifest,_)``.
    ///
    /// - Returns: where the file to load is.
    /// - Throws: ``ModelStoreError``, or `CancellationError`.
    @discardableResult
    public func fetch(
        _ entry: CatalogEntry, report: @escaping @Sendable (FetchEvent) -> Void = { _ in }
    ) async throws -> URL {
        let found = find(entry)
        if found.isPresent { return found.url }
        guard let manifest = entry.manifest(hub: hub) else {
            throw ModelStoreError(code: .unknownModel, message: "The catalog does not say where \(entry.name) is.")
        }
        return try await fetch(manifest, report: report).url
    }

    /// Fetches a model, unless it is here already.
    ///
    /// Each file comes from the first of its sources that delivers it. What comes is checked, and the model appears
    /// under its name at once, when all of it is here. When fetching fails or the task is cancelled, what has come is
    /// kept out of sight, and the next call goes on from there. Where another process is fetching the same file, this
    /// waits for it.
    ///
    /// - Parameters:
    ///   - manifest: the model.
    ///   - report: called as things happen, from any thread but never twice at once.
    /// - Returns: the model in the store.
    /// - Throws: ``ModelStoreError``, or `CancellationError`.
    @discardableResult
    public func fetch(
        _ manifest: ModelManifest, report: @escaping @Sendable (FetchEvent) -> Void = { _ in }
    ) async throws -> InstalledModel {
        try check(manifest)
        if let model = present(manifest) { return model }
        try layout.create()
        // Nothing that this model needs is cleared away until it has its name.
        let lock = try await StoreLock.wait(.shared, at: layout.lock)
        let progress = FetchProgress(manifest, report: report)
        let modelLock = try await StoreLock.wait(.exclusive, at: layout.modelLock(manifest.name)) {
            progress.report(.waiting(for: manifest.name))
        }
        defer { withExtendedLifetime((lock, modelLock)) {} }
        // Whoever was waited for may have fetched it.
        if let model = present(manifest) { return model }
        try requireRoom(for: manifest)
        var manifest = manifest
        for (index, file) in manifest.files.enumerated() {
            manifest.files[index] = try await obtain(file, of: manifest.name, progress: progress)
        }
        try publish(manifest)
        guard let model = installed(manifest.name) else {
            throw ModelStoreError(
                code: .storageFailed, message: "\(manifest.name) was removed while it was fetched. Fetch it again.")
        }
        return model
    }

    /// Gets a file into the store, unless it is there; returns it with its size and digest.
    private func obtain(_ file: ManifestFile, of model: String, progress: FetchProgress) async throws -> ManifestFile {
        if let present = present(file) {
            progress.skip(file.name, byteCount: present.byteCount ?? .zero)
            return present
        }
        let key = PartialKey.of(file)
        guard let partial = try await claim(key, file, progress) else {
            return try await obtain(file, of: model, progress: progress)
        }
        var failures: [(source: ModelSource, error: ModelStoreError)] = []
        for (index, source) in file.sources.enumerated() {
            let next = file.sources.dropFirst(index + 1).first
            do {
                progress.report(.started(source))
                let fetch = SourceFetch(
                    store: self, file: file, source: source, partial: partial, isLast: next == nil, progress: progress)
                let (byteCount, sha256) = try await fetch.run()
                try partial.publish(as: layout.blob(sha256), isReadOnly: true)
                DownloadJournal.remove(for: partial.url)
                progress.finish(file.name, byteCount: byteCount)
                var file = file
                (file.byteCount, file.sha256) = (byteCount, sha256)
                return file
            } catch let error as ModelStoreError where !error.isOfThisMachine {
                failures.append((source, error))
                progress.report(.failed(source, error, next: next))
            } catch {
                partial.discardUnlessResumable()
                throw error
            }
        }
        partial.discardUnlessResumable()
        throw ModelStoreError.unreachable(model, failures)
    }

    /// The model, where the store has it with the files that the manifest asks for.
    private func present(_ manifest: ModelManifest) -> InstalledModel? {
        guard let model = installed(manifest.name), model.isComplete, model.manifest.hasFiles(of: manifest) else {
            return nil
        }
        return model
    }

    /// The file with its size, where the store has it.
    private func present(_ file: ManifestFile) -> ManifestFile? {
        guard let sha256 = file.sha256, let size = RegularFile.ownSize(of: layout.blob(sha256)),
            file.byteCount == nil || file.byteCount == size
        else { return nil }
        var file = file
        file.byteCount = size
        return file
    }

    /// Waits until a file is this process's to fetch; nil when another one has fetched it meanwhile.
    private func claim(_ key: String, _ file: ManifestFile, _ progress: FetchProgress) async throws -> PartialFile? {
        var hasReported = false
        while true {
            try Task.checkCancellation()
            if let partial = try PartialFile.claim(at: layout.partial(key)) {
                if present(file) == nil { return partial }
                partial.discard()
                DownloadJournal.remove(for: partial.url)
            }
            if present(file) != nil { return nil }
            if !hasReported { progress.report(.waiting(for: file.name)) }
            hasReported = true
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

extension PartialFile {
    /// Removes the file where no later attempt could go on from it.
    func discardUnlessResumable() {
        if !FileManager.default.fileExists(atPath: DownloadJournal.url(for: url).path) { discard() }
    }
}

extension ModelManifest {
    /// Whether this model, which is here, has the files that are asked for.
    func hasFiles(of wanted: ModelManifest) -> Bool {
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

extension ModelStoreError {
    /// Whether the failure has its cause here, so that no other source would help.
    var isOfThisMachine: Bool { [.diskFull, .storageFailed, .quotaExceeded].contains(code) }

    /// The error for a model that no source delivered.
    static func unreachable(
        _ model: String, _ failures: [(source: ModelSource, error: ModelStoreError)]
    ) -> ModelStoreError {
        let reasons = failures.map(\.error.message).joined(separator: " ")
        // That this machine cannot use a source says less than how the others failed.
        let code = failures.last { $0.error.code != .toolFailed }?.error.code ?? .unreachable
        let remedy =
            switch code {
            case .checksumMismatch, .damagedFile, .changed:
                "\nNothing was kept. Try again later, or give the path of a .gguf file you have."
            case .unreachable:
                "\nCheck the network and the proxy (HTTPS_PROXY), or give the path of a .gguf file you have. What has "
                    + "come is kept: the next try goes on from there."
            default: ""
            }
        return ModelStoreError(
            code: code, message: "\(model) could not be fetched: \(reasons)\(remedy)", cause: failures.last?.error)
    }
}
