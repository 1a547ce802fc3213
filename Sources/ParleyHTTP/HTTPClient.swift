// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Sends requests over HTTP: ``URLSessionClient`` does, and tests put clients of their own in its place.
///
/// ```swift
/// let client: any HTTPClient = URLSessionClient()
/// let page = try await client.answer(to: HTTPRequest(url), upTo: 1 << 20)
/// ```
public protocol HTTPClient: Sendable {
    /// Sends a request and hands on the answer, whatever its status, when its body begins or ends: before that, a
    /// proxy's head may be taken for the server's.
    ///
    /// The exchange ends when the closure returns or throws, also where not all of the body has been read.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - use: reads the answer.
    /// - Returns: what the closure returns.
    /// - Throws: ``HTTPError``, what the closure throws, or `CancellationError`.
    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result
}

extension HTTPClient {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - limit: the most bytes that the body may have.
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``HTTPError``, with code `tooLarge` where more than the limit comes; `CancellationError`.
    public func answer(to request: HTTPRequest, upTo limit: Int) async throws -> HTTPAnswer {
        try await withResponse(to: request) { response in
            HTTPAnswer(
                status: response.status, headers: response.headers, body: try await response.body.collect(upTo: limit))
        }
    }
}

/// A whole answer.
public struct HTTPAnswer: Hashable, Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The headers.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Data

    /// Creates an answer.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
