// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
package import ParleyHTTP
package import ParleySystem

/// Downloads one file from one address into a partial file: as chunks over several connections where the server
/// supports ranges, otherwise as one stream.
struct FileDownload: Sendable {
    /// How often a download starts over because the file changed on the server before it fails.
    private static let maximumRestarts = 3

    let target: DownloadTarget
    let partial: PartialFile
    let client: any HTTPClient
    let settings: DownloadSettings
    /// Whether an unreachable server is tried only once, because another source is available.
    let isImpatient: Bool
    let logger: Logger
    let report: @Sendable (Event) -> Void

    /// The number of bytes that an attempt must deliver to count as progress.
    private var leastProgress: ByteSize { min(ByteSize(clamping: target.chunkSize.bytes / 8), 65_536) }

    /// Progress of a download.
    enum Event: Sendable {
        /// An earlier attempt left this many bytes, which are not downloaded again.
        case resumed(ByteSize)
        /// The number of bytes downloaded in total, and the length of the file where it is known.
        case received(ByteSize, of: ByteSize?)
        /// An attempt failed; the next one follows after the delay.
        case retrying(ModelStoreError, Duration)
    }

    /// Downloads what is missing.
    ///
    /// - Returns: the length and the SHA-256 digest of the whole file.
    /// - Throws: ``ModelStoreError`` or `CancellationError`. What was downloaded stays in the partial file and its
    ///   journal.
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
                logger.notice(
                    "A download begins anew: the file has changed, or the server sends no parts of it.",
                    metadata: ["source": "\(target.url.host() ?? "")"])
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
            // The first response shows whether the server supports ranges; the other connections are opened after it.
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

    /// Downloads one chunk after another until none is left.
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
                // A server that repeatedly breaks off after a few bytes must not be retried for ever.
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
                try await ledger.begin(
                    DownloadResponse(status: response.status, headers: response.headers), for: assignment)
                onAnswer()
                for try await piece in response.body { try await ledger.write(piece, for: assignment) }
            }
        } catch let error as HTTPError {
            throw DownloadFailure(ModelStoreError(error))
        } catch let error as ModelStoreError {
            throw DownloadFailure(error)
        }
        if !ledger.isComplete(assignment) { throw DownloadFailure(target.tooShort) }
    }

    private func request(for assignment: ChunkPlan.Assignment, _ ledger: DownloadLedger) -> HTTPRequest {
        // A compressed body would have other lengths and ranges than the file.
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

/// The file to download, and what is known about it beforehand.
struct DownloadTarget: Sendable {
    /// The address of the file, without user and password.
    var url: URL
    /// The value of the request header `Authorization`.
    var authorization: String?
    /// Whether the address is one of the hub, to which HF_TOKEN is sent.
    var isOnHub: Bool
    /// The length in bytes, where it is known beforehand.
    var byteCount: ByteSize?
    /// The SHA-256 digest in lowercase hexadecimal digits, where it is known beforehand.
    var sha256: String?
    /// The length of a chunk in bytes.
    var chunkSize: ByteSize
    /// Called with the length of the file once a server has sent it, and repeatedly with the number of bytes received
    /// where no server does. Throws where there is not enough space.
    var admit: @Sendable (_ byteCount: ByteSize) async throws -> Void

    /// The address for the journal: without credentials and without signatures, which change from day to day.
    var source: String { url.redacted.absoluteString }

    /// The name of the server, for messages.
    var host: String { url.host() ?? "The server" }

    /// What to do where a server other than the hub wants to know who asks, or refuses them.
    var credentialsRemedy: String { Self.credentialsRemedy(hasAny: authorization != nil) }

    static func credentialsRemedy(hasAny: Bool) -> String {
        !hasAny
            ? "If you have an account there, write it into the address: https://NAME:PASSWORD@HOST/PATH."
            : "Check the name and the password in the address."
    }

    /// Throws where the server's file has an unexpected length, or one that is too large.
    func check(_ total: ByteSize) async throws {
        guard total > .zero else {
            throw DownloadFailure(
                ModelStoreError(.damagedFile, "\(host) sent an empty file."), isTemporary: false)
        }
        if let byteCount, byteCount != total {
            throw DownloadFailure(
                ModelStoreError(
                    .checksumMismatch,
                    "\(host) has a file of \(total.bytes) bytes where one of \(byteCount.bytes) was expected."),
                isTemporary: false)
        }
        guard ChunkPlan.chunkCount(byteCount: total, chunkSize: chunkSize) != nil else {
            throw DownloadFailure(
                ModelStoreError(
                    .damagedFile, "\(host) has a file of \(total), which is too large for a model."),
                isTemporary: false)
        }
        try await require(total)
    }

    /// Throws where there is not enough space for this many bytes.
    func require(_ total: ByteSize) async throws {
        do { try await admit(total) } catch let error as ModelStoreError {
            throw DownloadFailure(error, isTemporary: false)
        }
    }

    /// The error for a server that sends a range although the whole file was requested.
    var unaskedPart: DownloadFailure {
        DownloadFailure(
            ModelStoreError(
                .unreachable,
                "\(host) sent a range of \(url.redacted.absoluteString) that was not requested, or one with "
                    + "an invalid length. Try another source."),
            isTemporary: false)
    }

    /// The error for a page in the place of the file, as networks send it that ask for a sign-in.
    var page: DownloadFailure {
        DownloadFailure(
            ModelStoreError(
                .unreachable,
                "A web page came in the place of \(url.redacted.absoluteString). If the network asks you to sign in, do "
                    + "that."))
    }

    /// The error for a server that sends more bytes than the file has.
    var tooLong: ModelStoreError {
        ModelStoreError(.checksumMismatch, "\(host) sent more bytes than the file has.")
    }

    /// The error for a response that ended early.
    var tooShort: ModelStoreError {
        ModelStoreError(.unreachable, "\(host) ended the transfer early.")
    }

    /// The error for a file that keeps changing on the server.
    var unstable: ModelStoreError {
        ModelStoreError(
            .changed,
            "\(url.redacted.absoluteString) changed on the server during the download. Try again later.")
    }
}

/// How files are downloaded.
package struct DownloadSettings: Sendable {
    /// The number of connections over which the chunks of one file are downloaded at the same time.
    package var connections = 4
    /// The length of a chunk; nil chooses one by the size of the file.
    package var chunkSize: ByteSize?
    /// How long a web server may take to respond where another source is available.
    package var impatientTimeout = Duration.seconds(5)
    /// How long a web server may take to respond where there is no other source.
    package var patientTimeout = Duration.seconds(30)
    /// The slowest acceptable transfer; a slower one is ended and counts as failed.
    package var pace = HTTPTimeLimits.Pace()
    /// How often and after which delays a failed request is repeated.
    package var retries = RetryPolicy()

    /// Creates settings.
    package init() {}

    /// Chooses the chunk length for a file of this size. Small chunks cost more requests (twice as many with
    /// redirects). Large chunks delay the digest, which is computed only over what was downloaded without a gap from
    /// the start, and keep more data in the system's cache until it is read for the digest.
    func chunkSize(of byteCount: ByteSize?) -> ByteSize {
        chunkSize ?? ByteSize(clamping: (byteCount ?? .zero).bytes >= 1 << 30 ? 16 << 20 : 8 << 20)
    }
}
