// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Gets a file from the web.
public protocol FileDownloader: Sendable {
    /// Downloads a file piece by piece.
    ///
    /// - Parameters:
    ///   - url: where the file is.
    ///   - connectTimeout: how long the server may take to answer at all.
    ///   - receive: called with each piece, in order and never twice at once. An error it throws ends the download and
    ///     is thrown on.
    /// - Throws: ``ModelStoreError`` with code `unreachable`, what `receive` threw, or `CancellationError`.
    func download(
        _ url: URL, connectTimeout: Duration, receive: @escaping @Sendable (Data) throws -> Void
    ) async throws
}
