// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Sends HTTP requests; ``URLSessionClient`` is the standard implementation, and tests use their own.
///
/// ```swift
/// let client: any HTTPClient = URLSessionClient()
/// let page = try await client.answer(to: HTTPRequest(url), upTo: 1 << 20)
/// ```
public protocol HTTPClient: Sendable {
    /// Sends a request and passes the response to a closure, whatever its status.
    ///
    /// The closure is called when the body of the response begins or ends, and not before, because the head of a
    /// proxy's response could be mistaken for the server's. The exchange ends when the closure returns or throws, even
    /// if the body has not been read completely.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - use: reads the response.
    /// - Returns: the result of the closure.
    /// - Throws: ``HTTPError``, any error of the closure, or `CancellationError`.
    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result
}

extension HTTPClient {
    /// Sends a request and waits for the complete response.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the maximum size of the body in bytes.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``HTTPError``, with code `tooLarge` if the body exceeds the limit; `CancellationError`.
    public func answer(to request: HTTPRequest, upTo limit: Int) async throws -> HTTPAnswer {
        try await withResponse(to: request) { response in
            HTTPAnswer(
                status: response.status, headers: response.headers, body: try await response.body.collect(upTo: limit))
        }
    }
}

/// A complete response.
public struct HTTPAnswer: Hashable, Sendable {
    /// The HTTP status code.
    public var status: Int
    /// The headers.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Data

    /// Creates a complete response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
