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

    /// Creates a downloader.
    public init() {}

    /// Asks for a file and hands on what comes; see ``FileDownloader``.
    public func download(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let transfer = Transfer(request, respond: respond, receive: receive)
        // The watchdog ends with the download: URLSession itself has one timeout only, and it is meant for silence
        // within a transfer.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await transfer.run(in: session)
                return true
            }
            group.addTask {
                try await Task.sleep(for: request.connectTimeout)
                transfer.giveUpUnlessAnswered()
                return false
            }
            defer { group.cancelAll() }
            for try await isFinished in group where isFinished { return }
        }
    }
}

extension DownloadRequest {
    /// The request in Foundation's form, to this address or one that it was redirected to.
    ///
    /// Redirected requests are made anew, because systems differ in which headers they carry over.
    func foundationRequest(to target: URL) -> URLRequest {
        var result = URLRequest(url: target)
        result.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if let range { result.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range") }
        if let ifRange { result.setValue(ifRange, forHTTPHeaderField: "If-Range") }
        if let authorization, target.origin == url.origin {
            result.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        return result
    }
}
