// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Gets files, or parts of them, from the web.
public protocol FileDownloader: Sendable {
    /// Asks for a file and hands on what comes.
    ///
    /// Redirects are followed; credentials go to the first host only.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - respond: called once, before any piece, with the answer, whatever its status.
    ///   - receive: called with each piece of the body, in order and never twice at once.
    /// - Throws: ``ModelStoreError`` with code `unreachable`, what `respond` or `receive` threw (which ends the
    ///   download), or `CancellationError`.
    func download(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws
}

/// What a ``FileDownloader`` is asked for.
public struct DownloadRequest: Hashable, Sendable {
    /// Where the file is; without credentials.
    public var url: URL
    /// The bytes that are wanted; nil for the whole file.
    public var range: Range<Int64>?
    /// The entity tag or date that the file must still have for the range to be sent; else the whole file comes.
    public var ifRange: String?
    /// The value of the header `Authorization`, which the host of `url` alone may see.
    public var authorization: String?
    /// How long the server may take to answer at all.
    public var connectTimeout: Duration

    /// Creates a request.
    public init(
        url: URL, range: Range<Int64>? = nil, ifRange: String? = nil, authorization: String? = nil,
        connectTimeout: Duration = .seconds(30)
    ) {
        self.url = url
        self.range = range
        self.ifRange = ifRange
        self.authorization = authorization
        self.connectTimeout = connectTimeout
    }
}
