// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ParleySystem
import Synchronization

/// Keeps the books of one download: what the server promised, which parts have come, what may be trusted later.
///
/// Several transfers write to it at once, each into a chunk of its own.
final class DownloadLedger: Sendable {
    /// The download must begin from nothing: the file on the server is another one, or it cannot be sent in parts.
    struct Restart: Error {
        /// Whether parts are not to be asked for again.
        var isRangeless = false
    }

    private struct State {
        /// Nil until a server has sent a part of the file.
        var plan: ChunkPlan?
        var journal: DownloadJournal?
        /// What the file on the server must still be; nil until this source has answered.
        var validator: FileValidator?
        var hash: PrefixHash
        /// For a file that comes in one stream: what has come and what is to come.
        var streamed = ByteSize.zero
        var streamByteCount: ByteSize?
        /// How much may come of a file of unknown length before room for more is asked for.
        var admitted = ByteSize.zero
        var isSynchronizing = false
    }

    private let state: Mutex<State>
    private let target: DownloadTarget
    private let partial: PartialFile
    /// Whether the file is asked for as a whole.
    let isRangeless: Bool
    private let progress: @Sendable (_ received: ByteSize, _ byteCount: ByteSize?) -> Void
    private let synchronization = DispatchQueue(label: "parley.download-journal", qos: .utility)

    /// Opens the ledger, with what an earlier process has left if it can be used. `progress` is told the bytes so far,
    /// each time that some have come.
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
                byteCount: journal.identity.byteCount, chunkSize: journal.identity.chunkSize, written: journal.written)
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

    /// What is here.
    var received: ByteSize {
        state.withLock { $0.plan.map { ByteSize(clamping: $0.received) } ?? $0.streamed }
    }

    /// Whether a server has begun to send the file in parts.
    var hasPlan: Bool { state.withLock { $0.plan != nil } }

    /// What `If-Range` is to hold.
    var ifRange: String? { state.withLock { $0.plan == nil ? nil : $0.validator?.ifRange } }

    /// The next part to ask for; without a plan it is the first one, whose answer makes the plan.
    func take() -> ChunkPlan.Assignment? {
        state.withLock { state in
            if state.plan == nil { return ChunkPlan.Assignment(chunk: 0, range: 0..<target.chunkSize.bytes) }
            return state.plan?.take()
        }
    }

    /// Gives a part back, whole or not.
    func release(_ assignment: ChunkPlan.Assignment) {
        state.withLock { $0.plan?.release(assignment.chunk) }
    }

    /// Whether everything that was asked for has come.
    func isComplete(_ assignment: ChunkPlan.Assignment) -> Bool {
        state.withLock { state in
            if let plan = state.plan { return plan.gap(in: assignment.chunk).isEmpty }
            return state.streamByteCount.map { state.streamed == $0 } ?? true
        }
    }

    /// Takes the head of an answer in.
    func begin(_ response: DownloadResponse, for assignment: ChunkPlan.Assignment) throws {
        switch response.status {
        case 206:
            // Where the whole was asked for, asking again would bring the same.
            if isRangeless { throw target.unaskedPart }
            guard let range = response.range, let total = response.totalByteCount,
                range.lowerBound == assignment.range.lowerBound, range.upperBound <= assignment.range.upperBound
            else { throw Restart(isRangeless: true) }
            try beginPart(of: total, response.validator)
        case 416 where !isRangeless:
            throw Restart(isRangeless: !hasPlan)
        default:
            if let failure = DownloadFailure(response, url: target.url) { throw failure }
            if hasPlan { throw Restart() }
            try beginStream(of: response.byteCount)
        }
    }

    private func beginPart(of total: ByteSize, _ validator: FileValidator) throws {
        try target.check(total)
        let isNew = try state.withLock { state in
            if let plan = state.plan, plan.byteCount != total.bytes { throw Restart() }
            if let known = state.validator, state.plan != nil {
                if !known.allows(validator) { throw Restart() }
                return false
            }
            return true
        }
        guard isNew else { return }
        let known = state.withLock { $0.plan } ?? ChunkPlan(byteCount: total, chunkSize: target.chunkSize)
        // The check has refused what has no plan.
        guard let plan = known else { throw target.unaskedPart }
        if plan.received > 0 { try partial.synchronize() }
        let identity = DownloadJournal.Identity(
            source: target.source, byteCount: total, chunkSize: ByteSize(clamping: plan.chunkSize),
            validator: validator)
        let journal = try DownloadJournal.create(for: partial.url, identity: identity, written: plan.written)
        state.withLock { state in
            if state.plan == nil {
                state.plan = plan
                _ = state.plan?.take()
            }
            state.journal = journal
            state.validator = validator
        }
    }

    private func beginStream(of byteCount: ByteSize?) throws {
        if let byteCount { try target.check(byteCount) }
        try partial.truncate(to: 0)
        state.withLock { state in
            state.hash.stop()
            state.hash = PrefixHash(of: partial)
            state.streamed = .zero
            state.admitted = byteCount ?? .zero
            state.streamByteCount = byteCount
        }
    }

    /// Takes bytes in.
    func write(_ data: Data, for assignment: ChunkPlan.Assignment) throws {
        let (gap, journal) = state.withLock { state in
            let end = target.byteCount ?? state.streamByteCount ?? .limit
            let stream = state.streamed.bytes..<max(end, state.streamed).bytes
            return (state.plan?.gap(in: assignment.chunk) ?? stream, state.journal)
        }
        guard data.count <= gap.upperBound - gap.lowerBound else {
            throw DownloadFailure(target.tooLong, isTemporary: false)
        }
        if !hasPlan { try admitStream(to: ByteSize(clamping: gap.lowerBound + Int64(data.count))) }
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

    /// Asks from time to time whether there is room for more of a file whose length no server tells: it may be endless.
    private func admitStream(to end: ByteSize) throws {
        let isToAsk = state.withLock { state in
            guard end > state.admitted else { return false }
            state.admitted = end + Self.admission
            return true
        }
        if isToAsk { try target.require(end) }
    }

    /// How much of a file of unknown length is taken in before its room is checked again.
    private static let admission = ByteSize(clamping: 64 << 20)

    /// Brings what has come to the disk in the background and notes that it is there.
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
            // A failure shows again when the file is published.
            guard (try? partial.synchronize()) != nil else { return }
            try? journal?.noteDurable(written)
        }
    }

    /// The length and the digest of the file, once all of it has come.
    func finish() async throws -> (byteCount: ByteSize, sha256: String) {
        let hash = state.withLock { $0.hash }
        // An earlier attempt may have left more than the file has.
        try partial.truncate(to: received.bytes)
        return (received, try await hash.finish())
    }

    /// Waits until nothing works on the file any more.
    func close() async {
        let hash = state.withLock { $0.hash }
        await hash.close()
        await withCheckedContinuation { continuation in synchronization.async { continuation.resume() } }
    }
}

extension FileValidator {
    /// Whether a file with another validator can be the same one.
    func allows(_ other: FileValidator) -> Bool {
        if let etag, let theirs = other.etag { return etag == theirs }
        if let lastModified, let theirs = other.lastModified { return lastModified == theirs }
        return true
    }
}
