// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

/// Gets one file from one address into a partial file: in parts side by side where the server allows it, else in one
/// stream.
struct FileDownload: Sendable {
    /// A file that changes more often than this while it is fetched is given up.
    private static let maximumRestarts = 3

    let target: DownloadTarget
    let partial: PartialFile
    let downloader: any FileDownloader
    /// How many parts are asked for at once.
    let connections: Int
    let connectTimeout: Duration
    let retries: RetryPolicy
    /// Whether a server that does not answer at all is asked once only, because another source is at hand.
    let isImpatient: Bool
    let report: @Sendable (Event) -> Void

    /// What an attempt must bring to count as one that did.
    private var leastProgress: ByteSize { min(ByteSize(clamping: target.chunkSize.bytes / 8), 65_536) }

    /// What happens meanwhile.
    enum Event: Sendable {
        /// So much is here from an earlier attempt.
        case resumed(ByteSize)
        /// So many bytes of so many are here.
        case received(ByteSize, of: ByteSize?)
        /// Something failed and is tried again.
        case retrying(ModelStoreError, Duration)
    }

    /// Downloads what is missing.
    ///
    /// - Returns: the length and the SHA-256 digest of the whole file.
    /// - Throws: ``ModelStoreError`` or `CancellationError`. What has come stays in the partial file and its journal.
    func run() async throws -> (byteCount: ByteSize, sha256: String) {
        var restarts = 0
        var isRangeless = false
        while true {
            let ledger = try DownloadLedger(target, partial: partial, isRangeless: isRangeless) { received, total in
                report(.received(received, of: total))
            }
            if ledger.received > .zero { report(.resumed(ledger.received)) }
            do {
                try await transferAll(ledger)
                let result = try await ledger.finish()
                await ledger.close()
                return result
            } catch let restart as DownloadLedger.Restart {
                await ledger.close()
                DownloadJournal.remove(for: partial.url)
                restarts += 1
                isRangeless = isRangeless || restart.isRangeless
                if restarts > Self.maximumRestarts { throw target.unstable }
            } catch {
                await ledger.close()
                throw (error as? HTTPFailure)?.error ?? error
            }
        }
    }

    private func transferAll(_ ledger: DownloadLedger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The first answer tells whether the file can come in parts; only then the others are asked for.
            let (opening, opened) = AsyncStream<Void>.makeStream()
            group.addTask {
                defer { opened.finish() }
                try await work(ledger) { opened.finish() }
            }
            for await _ in opening {}
            if ledger.hasPlan {
                for _ in 1..<max(connections, 1) { group.addTask { try await work(ledger) } }
            }
            while try await group.next() != nil {}
        }
    }

    /// Gets one part after the other until none is left.
    private func work(_ ledger: DownloadLedger, onAnswer: @escaping @Sendable () -> Void = {}) async throws {
        var failures = 0
        while let assignment = ledger.take() {
            let before = ledger.received
            do {
                defer { ledger.release(assignment) }
                try await transfer(assignment, ledger, onAnswer)
                failures = 0
                if !ledger.hasPlan { return }
            } catch let failure as HTTPFailure {
                // A server that sends a little and breaks off, again and again, delivers nothing.
                let hasProgress = ledger.received > before + leastProgress
                failures = hasProgress ? 1 : failures + 1
                // A signed address may have expired between the redirect and the request.
                let isTemporary = failure.isTemporary || (failure.error.code == .notAuthorized && before > .zero)
                let isLastTry = isImpatient && ledger.received == .zero && failure.error.code == .unreachable
                guard isTemporary, !isLastTry,
                    let delay = retries.delay(failures: failures, requested: failure.retryAfter)
                else { throw failure.error }
                report(.retrying(failure.error, delay))
                try await retries.clock.sleep(for: delay)
            }
        }
    }

    private func transfer(
        _ assignment: ChunkPlan.Assignment, _ ledger: DownloadLedger, _ onAnswer: @escaping @Sendable () -> Void
    ) async throws {
        let request = DownloadRequest(
            url: target.url, range: ledger.isRangeless ? nil : assignment.range, ifRange: ledger.ifRange,
            authorization: target.authorization, connectTimeout: connectTimeout)
        do {
            try await downloader.download(request) { response in
                try ledger.begin(response, for: assignment)
                onAnswer()
            } receive: { data in
                try ledger.write(data, for: assignment)
            }
        } catch let error as ModelStoreError {
            throw HTTPFailure(error)
        }
        if !ledger.isComplete(assignment) { throw HTTPFailure(target.tooShort) }
    }
}
