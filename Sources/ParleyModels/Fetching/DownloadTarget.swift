// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

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
            throw HTTPFailure(
                ModelStoreError(code: .damagedFile, message: "\(host) sent an empty file."), isTemporary: false)
        }
        if let byteCount, byteCount != total {
            throw HTTPFailure(
                ModelStoreError(
                    code: .checksumMismatch,
                    message: "\(host) has a file of \(total.bytes) bytes where one of \(byteCount.bytes) was expected."),
                isTemporary: false)
        }
        guard ChunkPlan.chunkCount(byteCount: total, chunkSize: chunkSize) != nil else {
            throw HTTPFailure(
                ModelStoreError(
                    code: .damagedFile, message: "\(host) has a file of \(total), which is too large for a model."),
                isTemporary: false)
        }
        try require(total)
    }

    /// Refuses what there is no room for.
    func require(_ total: ByteSize) throws {
        do { try admit(total) } catch let error as ModelStoreError { throw HTTPFailure(error, isTemporary: false) }
    }

    /// The error for a server that sends a part of the file where the whole was asked for.
    var unaskedPart: HTTPFailure {
        HTTPFailure(
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
