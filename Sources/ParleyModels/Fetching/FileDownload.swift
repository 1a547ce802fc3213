// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyHTTP
package import ParleySystem

/// Gets one file from one address into a partial file: in parts side by side where the server allows it, else in one
/// stream.
struct FileDownload: Sendable {
    /// A file that changes more often than this while it is fetched is given up.
    private static let maximumRestarts = 3

    let target: DownloadTarget
    let partial: PartialFile
    let client: any HTTPClient
    let settings: DownloadSettings
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
                throw (error as? DownloadFailure)?.error ?? error
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
                for _ in 1..<max(settings.connections, 1) { group.addTask { try await work(ledger) } }
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
            } catch let failure as DownloadFailure {
                // A server that sends a little and breaks off, again and again, delivers nothing.
                let hasProgress = ledger.received > before + leastProgress
                failures = hasProgress ? 1 : failures + 1
                // A signed address may have expired between the redirect and the request.
                let isTemporary = failure.isTemporary || (failure.error.code == .notAuthorized && before > .zero)
                let isLastTry = isImpatient && ledger.received == .zero && failure.error.code == .unreachable
                guard isTemporary, !isLastTry,
                    let delay = settings.retries.delay(failures: failures, requested: failure.retryAfter)
                else { throw failure.error }
                report(.retrying(failure.error, delay))
                try await settings.retries.clock.sleep(for: delay)
            }
        }
    }

    private func transfer(
        _ assignment: ChunkPlan.Assignment, _ ledger: DownloadLedger, _ onAnswer: @escaping @Sendable () -> Void
    ) async throws {
        do {
            try await client.withResponse(to: request(for: assignment, ledger)) { response in
                try ledger.begin(DownloadResponse(status: response.status, headers: response.headers), for: assignment)
                onAnswer()
                for try await piece in response.body { try ledger.write(piece, for: assignment) }
            }
        } catch let error as HTTPError {
            throw DownloadFailure(ModelStoreError(error))
        } catch let error as ModelStoreError {
            throw DownloadFailure(error)
        }
        if !ledger.isComplete(assignment) { throw DownloadFailure(target.tooShort) }
    }

    private func request(for assignment: ChunkPlan.Assignment, _ ledger: DownloadLedger) -> HTTPRequest {
        // What is compressed on the way has other lengths.
        var request = HTTPRequest(target.url, headers: ["Accept-Encoding": "identity"])
        if !ledger.isRangeless {
            request.headers["Range"] = "bytes=\(assignment.range.lowerBound)-\(assignment.range.upperBound - 1)"
        }
        request.headers["If-Range"] = ledger.ifRange
        request.headers["Authorization"] = target.authorization
        request.limits.answer = isImpatient ? settings.impatientTimeout : settings.patientTimeout
        request.limits.pace = settings.pace
        return request
    }
}

/// What is to be downloaded, from where, and what is known of it beforehand.
struct DownloadTarget: Sendable {
    /// Where the file is; without user and password.
    var url: URL
    /// The value of the header `Authorization`.
    var authorization: String?
    /// The size, where it is known.
    var byteCount: ByteSize?
    /// The SHA-256 digest, where it is known.
    var sha256: String?
    /// The length of the parts that are asked for.
    var chunkSize: ByteSize
    /// Told the size of the file as soon as a server has told it, and what has come of a file whose size no server tells;
    /// throws where there is no room for it.
    var admit: @Sendable (_ byteCount: ByteSize) throws -> Void

    /// The address for the journal: without secrets, which change from day to day beside.
    var source: String { url.redacted.absoluteString }

    private var host: String { url.host() ?? "The server" }

    /// Refuses a file of another size than it should have, or one that is too large.
    func check(_ total: ByteSize) throws {
        guard total > .zero else {
            throw DownloadFailure(
                ModelStoreError(code: .damagedFile, message: "\(host) sent an empty file."), isTemporary: false)
        }
        if let byteCount, byteCount != total {
            throw DownloadFailure(
                ModelStoreError(
                    code: .checksumMismatch,
                    message: "\(host) has a file of \(total.bytes) bytes where one of \(byteCount.bytes) was expected."),
                isTemporary: false)
        }
        guard ChunkPlan.chunkCount(byteCount: total, chunkSize: chunkSize) != nil else {
            throw DownloadFailure(
                ModelStoreError(
                    code: .damagedFile, message: "\(host) has a file of \(total), which is too large for a model."),
                isTemporary: false)
        }
        try require(total)
    }

    /// Refuses what there is no room for.
    func require(_ total: ByteSize) throws {
        do { try admit(total) } catch let error as ModelStoreError { throw DownloadFailure(error, isTemporary: false) }
    }

    /// The error for a server that sends a part of the file where the whole was asked for.
    var unaskedPart: DownloadFailure {
        DownloadFailure(
            ModelStoreError(
                code: .unreachable,
                message: "\(host) sends parts of \(url.redacted.absoluteString) that were not asked for, or of a file "
                    + "of no possible size. Try another source."),
            isTemporary: false)
    }

    /// The error for a server that sends more than the file holds.
    var tooLong: ModelStoreError {
        ModelStoreError(code: .checksumMismatch, message: "\(host) sent more than the file should hold.")
    }

    /// The error for an answer that ended before its time.
    var tooShort: ModelStoreError {
        ModelStoreError(code: .unreachable, message: "\(host) ended the transfer early.")
    }

    /// The error for a file that changes again and again.
    var unstable: ModelStoreError {
        ModelStoreError(
            code: .changed,
            message: "\(url.redacted.absoluteString) changed on the server while it was fetched. Try again later.")
    }
}

/// How files are downloaded.
package struct DownloadSettings: Sendable {
    /// How many parts of a file are asked for at once.
    package var connections = 4
    /// The length of a part; nil chooses by the size of the file.
    package var chunkSize: ByteSize?
    /// How long a web server may take to answer before the next source is tried.
    package var impatientTimeout = Duration.seconds(5)
    /// How long a web server may take to answer where there is no other source.
    package var patientTimeout = Duration.seconds(30)
    /// What must come of a part, or its transfer is given up.
    package var pace = HTTPTimeLimits.Pace()
    /// What happens when a server fails.
    package var retries = RetryPolicy()

    /// Creates settings.
    package init() {}

    /// The length of the parts of a file. Each costs a request, and redirects double that; but the digest can follow only
    /// what has come without a gap, and what has come of a part waits in memory.
    func chunkSize(of byteCount: ByteSize?) -> ByteSize {
        chunkSize ?? ByteSize(clamping: (byteCount ?? .zero).bytes >= 1 << 30 ? 16 << 20 : 8 << 20)
    }
}
