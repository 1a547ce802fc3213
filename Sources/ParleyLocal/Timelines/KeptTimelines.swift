// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Logging
import ParleyConversation
import ParleyFiles
import ParleyRuntime

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The timelines of a model's conversations in files of a ``CacheFolder``.
///
/// Files are written and read one after the other on a thread of their own, so that a conversation which is resumed at
/// once waits for its file.
final class KeptTimelines: Sendable {
    /// The fewest positions that are kept: fewer are read again in the time that a file takes.
    static let fewest = 256
    /// The age from which a temporary file has been left behind.
    private static let abandoned: TimeInterval = 3_600

    private let folder: CacheFolder
    private let model: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "parley.caches")

    /// - Parameters:
    ///   - folder: the folder.
    ///   - model: identifies the model's weights, such as the digest of their file.
    ///   - logger: records what is kept, and which files are ignored.
    init(_ folder: CacheFolder, model: String, logger: Logger) {
        (self.folder, self.model, self.logger) = (folder, model, logger)
    }

    // MARK: Keeping

    /// Writes what a timeline holds to the file of a conversation, and releases the timeline. Nobody else uses it.
    func keep(_ timeline: any TokenTimeline, of id: ConversationID) {
        guard let timeline = timeline as? any SnapshotTimeline, timeline.keepable >= Self.fewest else { return }
        queue.async { self.write(timeline, id) }
    }

    /// Returns when everything that was to be kept is in its file.
    func settle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func write(_ timeline: any SnapshotTimeline, _ id: ConversationID) {
        let count = timeline.keepable
        let size = SnapshotFile.byteCount(of: count, in: timeline)
        guard folder.keeps(id), size <= folder.limit else { return }
        do {
            try FilePlace.create(folder.directory, mode: 0o700)
            // The earlier file first, so that the limit holds at every moment.
            unlink(folder.file(of: id).path)
            makeRoom(for: size)
            try SnapshotFile.write(timeline, count: count, key: key(timeline), to: folder.file(of: id))
            logger.debug(
                "The cache of a conversation was kept.", metadata: ["tokens": "\(count)", "bytes": "\(size)"])
        } catch {
            logger.notice("The cache of a conversation could not be kept.", metadata: ["error": "\(error)"])
        }
    }

    /// Removes the files that were used least recently, and what was left behind, until there is room for a new file.
    private func makeRoom(for size: Int) {
        // They are large, and their writers write on and on.
        LeftoverFiles.remove(in: folder.directory, olderThan: Self.abandoned)
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey, .isRegularFileKey]
        let urls =
            (try? FileManager.default.contentsOfDirectory(
                at: folder.directory, includingPropertiesForKeys: Array(keys))) ?? []
        var files: [(url: URL, used: Date, size: Int)] = []
        for url in urls {
            guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
            files.append((url, values.contentModificationDate ?? .distantPast, values.fileSize ?? 0))
        }
        files.sort { $0.used > $1.used }
        var room = folder.limit - size
        for file in files {
            room = file.size <= room ? room - file.size : -1
            // Only files of conversations are removed, whatever else is in the folder.
            if room < 0, UUID(uuidString: file.url.lastPathComponent) != nil { try? WholeFile.remove(file.url) }
        }
    }

    // MARK: Restoring

    /// Fills a timeline from the file of a conversation, if that has more of the beginning of a prompt than the timeline.
    /// A file that cannot be used leaves it empty or as it is.
    func restore(_ timeline: any TokenTimeline, of id: ConversationID, for prompt: ModelInput) async {
        guard let timeline = timeline as? any SnapshotTimeline, prompt.count >= Self.fewest else { return }
        let began = ContinuousClock.now
        let held = timeline.contents.commonPrefix(with: prompt)
        var isChanged = false
        do {
            let (url, key) = (folder.file(of: id), key(timeline))
            let isOfUse = try await onQueue {
                let reader = try SnapshotReader(url, key: key, for: timeline)
                return ModelInput(reader.tokens).commonPrefix(with: prompt) >= max(Self.fewest, held + 1)
            }
            guard isOfUse else { return }
            isChanged = true
            let probe = try await probe(timeline, prompt)
            let count = try await onQueue {
                var reader = try SnapshotReader(url, key: key, for: timeline)
                try reader.restore(timeline)
                guard try timeline.bytes(of: timeline.snapshotInterval) == probe else { throw SnapshotFault.foreign }
                // The file has been used.
                utimes(url.path, nil)
                return reader.tokens.count
            }
            logger.debug(
                "The cache of a conversation was read from its file.",
                metadata: ["tokens": "\(count)", "seconds": "\((ContinuousClock.now - began) / .seconds(1))"])
        } catch {
            if isChanged { timeline.rewind(to: 0) }
            if (error as? FileError)?.code == .notFound || error is CancellationError { return }
            logger.notice("The file of a conversation's cache was ignored.", metadata: ["reason": "\(error)"])
        }
    }

    /// The first positions of a prompt as this process computes them: weights, kernels, compiler and mathematics library
    /// of whoever wrote a file must give the same bits.
    private func probe(_ timeline: any SnapshotTimeline, _ prompt: ModelInput) async throws -> [UInt8] {
        timeline.rewind(to: 0)
        let tokens = Array(prompt.tokens.prefix(timeline.snapshotInterval))
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: LogitRows())
        return try timeline.bytes(of: tokens.count)
    }

    private func key(_ timeline: any SnapshotTimeline) -> [UInt8] {
        SnapshotFile.key(model: model, format: timeline.snapshotFormat)
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

extension SnapshotTimeline {
    /// The number of positions that can be kept: those before the first embedding, up to where a snapshot can end.
    fileprivate var keepable: Int {
        guard case .tokens(let tokens)? = contents.part(at: 0) else { return 0 }
        return tokens.count / snapshotInterval * snapshotInterval
    }

    /// The bytes of a snapshot.
    fileprivate func bytes(of count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(snapshotByteCount(of: count))
        try writeSnapshot(of: count) { bytes.append(contentsOf: $0) }
        return bytes
    }
}
