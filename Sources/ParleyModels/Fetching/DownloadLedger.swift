// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ParleySystem
import Synchronization

/// The state of one download: what the server said about the file, which chunks were downloaded, and how much of them a
/// later process may rely on.
///
/// Several transfers use it at the same time, each for a chunk of its own.
final class DownloadLedger: Sendable {
    /// The download must start over: the file on the server has changed, or the server cannot send parts of it.
    struct Restart: Error {
        /// Whether the next attempt must request the whole file instead of ranges.
        var isRangeless = false
    }

    private struct State {
        /// Nil until a server has sent a part of the file.
        var plan: ChunkPlan?
        var journal: DownloadJournal?
        /// The version of the file on the server, which must not change; nil until the current source has answered.
        var validator: FileValidator?
        var hash: PrefixHash
        /// For a file that is sent in one stream: the number of bytes received.
        var streamed = ByteSize.zero
        var streamByteCount: ByteSize?
        /// For a stream of unknown length: the number of bytes up to which free space was checked.
        var admitted = ByteSize.zero
        var isSynchronizing = false

        /// Forgets what was hashed, because the file is written anew.
        mutating func beginHash(of partial: PartialFile) {
            hash.stop()
            hash = PrefixHash(of: partial)
        }
    }

    private let state: Mutex<State>
    private let target: DownloadTarget
    private let partial: PartialFile
    /// Whether the whole file is requested instead of ranges.
    let isRangeless: Bool
    private let progress: @Sendable (_ received: ByteSize, _ byteCount: ByteSize?) -> Void
    private let synchronization = DispatchQueue(label: "parley.download-journal", qos: .utility)

    /// Opens the ledger, and resumes what an earlier process downloaded where that is possible. `progress` is called
    /// with the number of bytes downloaded whenever it has grown.
    init(
        _ target: DownloadTarget, partial: PartialFile, isRangeless: Bool,
        progress: @escaping @Sendable (_ received: ByteSize, _ byteCount: ByteSize?) -> Void
    ) throws {
        self.target = target
        self.partial = partial
        self.isRangeless = isRangeless
        self.progress = progress
        var state = State(hash: PrefixHash(of: partial))
        if !isRangeless, let journal = try DownloadJournal.open(for: partial, target: target),
            let plan = ChunkPlan(
                byteCount: journal.identity.byteCount, chunkSize: journal.identity.chunkSize, written: journal.written),
            // Without a digest and without a version, nothing shows that the file is still the same.
            target.sha256 != nil || journal.identity.validator != FileValidator()
        {
            state.journal = journal
            let identity = journal.identity
            state.plan = plan
            if identity.source == target.source { state.validator = identity.validator }
            state.hash.advance(to: plan.prefix)
        } else {
            DownloadJournal.remove(for: partial.url)
            try partial.truncate(to: 0)
        }
        self.state = Mutex(state)
    }

    /// The number of bytes downloaded.
    var received: ByteSize {
        state.withLock { $0.plan.map { ByteSize(clamping: $0.received) } ?? $0.streamed }
    }

    /// Whether a server has answered with a range of the file, so that its chunks are known.
    var hasPlan: Bool { state.withLock { $0.plan != nil } }

    /// The value of the request header `If-Range`.
    var ifRange: String? { state.withLock { $0.plan == nil ? nil : $0.validator?.ifRange } }

    /// The next range to request. Without a plan this is the first chunk, whose response creates the plan.
    func take() -> ChunkPlan.Assignment? {
        state.withLock { state in
            if state.plan == nil { return ChunkPlan.Assignment(chunk: 0, range: 0..<target.chunkSize.bytes) }
            return state.plan?.take()
        }
    }

    /// Ends an assignment, whether its range was downloaded completely or not.
    func release(_ assignment: ChunkPlan.Assignment) {
        state.withLock { $0.plan?.release(assignment.chunk) }
    }

    /// Whether everything that was requested has been received.
    func isComplete(_ assignment: ChunkPlan.Assignment) -> Bool {
        state.withLock { state in
            if let plan = state.plan { return plan.gap(in: assignment.chunk).isEmpty }
            return state.streamByteCount.map { state.streamed == $0 } ?? true
        }
    }

    /// Handles the status and headers of a response.
    func begin(_ response: DownloadResponse, for assignment: ChunkPlan.Assignment) async throws {
        switch response.status {
        case 206:
            // The whole file was requested, so requesting it again would give the same response.
            if isRangeless { throw target.unaskedPart }
            guard let range = response.range, let total = response.totalByteCount,
                range.lowerBound == assignment.range.lowerBound, range.upperBound <= assignment.range.upperBound
            else { throw Restart(isRangeless: true) }
            try await beginPart(of: total, response.validator)
        case 416 where !isRangeless:
            throw Restart(isRangeless: !hasPlan)
        default:
            if let failure = DownloadFailure(response, to: target) { throw failure }
            if hasPlan {
                // For what is no newer version of the file, nothing that has come is given up.
                if response.isPage { throw target.page }
                if let byteCount = response.byteCount { try await target.check(byteCount) }
                throw Restart()
            }
            // A part that is sent as if it were the whole.
            if let range = response.range, range != 0..<(response.totalByteCount?.bytes ?? range.upperBound) {
                throw target.unaskedPart
            }
            try await beginStream(of: response.byteCount)
        }
    }

    private func beginPart(of total: ByteSize, _ validator: FileValidator) async throws {
        try await target.check(total)
        let isNew = try state.withLock { state in
            if let plan = state.plan, plan.byteCount != total.bytes { throw Restart() }
            if let known = state.validator, state.plan != nil {
                if !known.allows(validator, isVerified: target.sha256 != nil) { throw Restart() }
                return false
            }
            return true
        }
        guard isNew else { return }
        let known = state.withLock { $0.plan } ?? ChunkPlan(byteCount: total, chunkSize: target.chunkSize)
        // `check` has refused every length for which there is no plan.
        guard let plan = known else { throw target.unaskedPart }
        if plan.received > 0 { try partial.synchronize() }
        let identity = DownloadJournal.Identity(
            source: target.source, byteCount: total, chunkSize: ByteSize(clamping: plan.chunkSize),
            validator: validator)
        let journal = try DownloadJournal.create(for: partial.url, identity: identity, written: plan.written)
        state.withLock { state in
            if state.plan == nil {
                // A stream of the whole file may have broken off before, which need not have been of the same version.
                state.beginHash(of: partial)
                state.plan = plan
                _ = state.plan?.take()
            }
            state.journal = journal
            state.validator = validator
        }
    }

    private func beginStream(of byteCount: ByteSize?) async throws {
        if let byteCount { try await target.check(byteCount) }
        try partial.truncate(to: 0)
        state.withLock { state in
            state.beginHash(of: partial)
            state.streamed = .zero
            state.admitted = byteCount ?? .zero
            state.streamByteCount = byteCount
        }
    }

    /// Writes received bytes to the partial file.
    func write(_ data: Data, for assignment: ChunkPlan.Assignment) async throws {
        let (gap, journal) = state.withLock { state in
            let end = target.byteCount ?? state.streamByteCount ?? .limit
            let stream = state.streamed.bytes..<max(end, state.streamed).bytes
            return (state.plan?.gap(in: assignment.chunk) ?? stream, state.journal)
        }
        guard data.count <= gap.upperBound - gap.lowerBound else {
            throw DownloadFailure(target.tooLong, isTemporary: false)
        }
        if !hasPlan { try await admitStream(to: ByteSize(clamping: gap.lowerBound + Int64(data.count))) }
        try partial.write(data, at: gap.lowerBound)
        try journal?.note(
            gap.lowerBound + Int64(data.count) - Int64(assignment.chunk) * chunkSize, of: assignment.chunk)
        let (received, byteCount, isChunkFull) = state.withLock { state -> (ByteSize, ByteSize?, Bool) in
            guard state.plan != nil else {
                state.streamed += ByteSize(clamping: data.count)
                state.hash.advance(to: state.streamed.bytes)
                return (state.streamed, state.streamByteCount ?? target.byteCount, false)
            }
            state.plan?.advance(assignment.chunk, by: Int64(data.count))
            state.hash.advance(to: state.plan?.prefix ?? 0)
            return (
                ByteSize(clamping: state.plan?.received ?? 0), state.plan.map { ByteSize(clamping: $0.byteCount) },
                Int64(data.count) == gap.upperBound - gap.lowerBound
            )
        }
        progress(received, byteCount)
        if isChunkFull { synchronizeLater() }
    }

    private var chunkSize: Int64 { state.withLock { $0.plan?.chunkSize ?? target.chunkSize.bytes } }

    /// Checks the free space again and again while a stream of unknown length grows, because it may be endless.
    private func admitStream(to end: ByteSize) async throws {
        let isToAsk = state.withLock { state in
            guard end > state.admitted else { return false }
            state.admitted = end + Self.admission
            return true
        }
        if isToAsk { try await target.require(end) }
    }

    /// The number of bytes of a stream of unknown length between two checks of the free space.
    private static let admission = ByteSize(clamping: 64 << 20)

    /// Flushes what was written to the disk in the background, and then records it in the journal.
    private func synchronizeLater() {
        let isToSchedule = state.withLock { state in
            defer { state.isSynchronizing = true }
            return !state.isSynchronizing
        }
        guard isToSchedule else { return }
        synchronization.async { [self] in
            let (written, journal) = state.withLock { state in
                state.isSynchronizing = false
                return (state.plan?.written ?? [], state.journal)
            }
            // If flushing fails here, it fails again when the file is published, where the error is reported.
            guard (try? partial.synchronize()) != nil else { return }
            try? journal?.noteDurable(written)
        }
    }

    /// The length and the SHA-256 digest of the complete file.
    func finish() async throws -> (byteCount: ByteSize, sha256: String) {
        let hash = state.withLock { $0.hash }
        // An earlier attempt may have left more than the file has.
        try partial.truncate(to: received.bytes)
        return (received, try await hash.finish())
    }

    /// Waits until neither hashing nor flushing uses the file.
    func close() async {
        let hash = state.withLock { $0.hash }
        await hash.close()
        await withCheckedContinuation { continuation in synchronization.async { continuation.resume() } }
    }
}

extension FileValidator {
    /// Whether a part with another validator may be of the same version of the file.
    ///
    /// - Parameters:
    ///   - other: the validator that came with the part. A server that has sent an entity tag must repeat it with each
    ///     part (RFC 9110, section 15.3.7); it may leave out the date.
    ///   - isVerified: whether the whole file is checked by its digest, so that a missing tag does no harm.
    /// - Returns: whether it may be.
    func allows(_ other: FileValidator, isVerified: Bool) -> Bool {
        if let etag { return other.etag.map { etag == $0 } ?? isVerified }
        if let lastModified, let theirs = other.lastModified { return lastModified == theirs }
        return true
    }
}
