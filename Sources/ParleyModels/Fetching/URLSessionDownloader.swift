// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads with Foundation's `URLSession`.
///
/// The proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case) are
/// used. Connections are kept between the requests of one downloader.
public struct URLSessionDownloader: FileDownloader {
    private let session = TransferSession()
    private let watch: StallWatch

    /// Creates a downloader.
    public init() {
        self.init(watch: StallWatch())
    }

    package init(watch: StallWatch) {
        self.watch = watch
    }

    /// Asks for a file and hands on what comes; see ``FileDownloader``.
    ///
    /// - Throws: as ``FileDownloader`` says.
    public func download(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let transfer = Transfer(to: request.url) { url in
            request.foundationRequest(to: url)
        } respond: { status, headers in
            try respond(DownloadResponse(status: status, headers: headers))
        } receive: { data in
            try receive(data)
        }
        try await session.run(transfer, answerTime: request.connectTimeout, watch: watch)
    }
}

extension DownloadRequest {
    /// The request in Foundation's form, to this address or one that it was redirected to.
    func foundationRequest(to target: URL) -> URLRequest {
        var result = URLRequest(url: target.withoutUser)
        result.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if let range {
            result.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
        }
        if let ifRange { result.setValue(ifRange, forHTTPHeaderField: "If-Range") }
        if let authorization, target.origin == url.origin {
            result.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        return result
    }
}
