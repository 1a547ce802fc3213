// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is to be downloaded, from where, and what is known of it beforehand.
struct DownloadTarget: Sendable {
    /// Where the file is; without user and password.
    var url: URL
    /// The value of the header `Authorization`.
    var authorization: String?
    /// The size in bytes, where it is known.
    var byteCount: Int64?
    /// The SHA-256 digest, where it is known.
    var sha256: String?
    /// The length of the parts that are asked for.
    var chunkSize: Int64
    /// Told the size of the file as soon as a server has told it; throws where there is no room for it.
    var admit: @Sendable (_ byteCount: Int64) throws -> Void

    /// The address for the journal: without secrets, which change from day to day beside.
    var source: String { url.redacted.absoluteString }

    private var host: String { url.host() ?? "The server" }

    /// Refuses a file of another size than it should have, or one that is too large.
    func check(_ total: Int64) throws {
        guard total > 0 else {
            throw HTTPFailure(
                ModelStoreError(code: .damagedFile, message: "\(host) sent an empty file."), isTemporary: false)
        }
        if let byteCount, byteCount != total {
            throw HTTPFailure(
                ModelStoreError(
                    code: .checksumMismatch,
                    message: "\(host) has a file of \(total) bytes where one of \(byteCount) was expected."),
                isTemporary: false)
        }
        do { try admit(total) } catch let error as ModelStoreError { throw HTTPFailure(error, isTemporary: false) }
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
