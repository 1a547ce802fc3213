// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Reads from the web with Foundation's `URLSession`.
///
/// The proxies that the environment names are used, as ``URLSessionDownloader`` does.
public struct URLSessionReader: WebReader {
    /// How long a server may take to answer.
    private let answerTime: Duration
    /// How long an answer may take altogether.
    private let wholeTime: Duration

    private let session = TransferSession()

    /// Creates a reader.
    public init() {
        self.init(answerTime: .seconds(20))
    }

    package init(answerTime: Duration) {
        self.answerTime = answerTime
        wholeTime = answerTime * 6
    }

    /// Sends a request; see ``WebReader``.
    ///
    /// - Throws: as ``WebReader`` says.
    public func answer(to request: WebRequest) async throws -> WebAnswer {
        let answer = Mutex(Answer())
        let transfer = Transfer(to: request.url, followsRedirects: request.followsRedirects) { url in
            request.foundationRequest(to: url)
        } respond: { status, headers in
            answer.withLock { ($0.status, $0.headers) = (status, headers) }
        } receive: { data in
            try answer.withLock { answer in
                guard answer.body.count + data.count <= request.limit else { throw request.tooLong }
                answer.body.append(data)
            }
        }
        do {
            try await session.run(transfer, answerTime: answerTime, wholeTime: wholeTime)
        } catch var error as ModelStoreError where error.code == .unreachable && error.cause != nil {
            error.message += " Check the network and the proxy (HTTPS_PROXY)."
            throw error
        }
        return answer.withLock { WebAnswer(status: $0.status, headers: $0.headers, body: $0.body) }
    }

    private struct Answer {
        var status = 0
        var headers: [String: String] = [:]
        var body = Data()
    }
}

extension WebRequest {
    /// The request in Foundation's form, to this address or one that it was redirected to.
    fileprivate func foundationRequest(to target: URL) -> URLRequest {
        var result = URLRequest(url: target.withoutUser)
        result.httpMethod = method
        for (name, value) in headers {
            // A token is for the host it was meant for.
            if name.lowercased() == "authorization", target.origin != url.origin { continue }
            result.setValue(value, forHTTPHeaderField: name)
        }
        return result
    }

    fileprivate var tooLong: ModelStoreError {
        ModelStoreError(
            code: .unreachable,
            message: "\(url.host() ?? "The server") sent more than the \(limit >> 10) KiB that were expected.")
    }
}
