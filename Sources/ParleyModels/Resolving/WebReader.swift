// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Reads small things from the web: listings, manifests, headers of files. Whole files are a ``FileDownloader``'s.
public protocol WebReader: Sendable {
    /// Sends a request and returns the answer, whatever its status.
    ///
    /// Redirects are followed where the request says so, and headers named `Authorization` go to the first host only.
    ///
    /// - Throws: ``ModelStoreError`` with code `unreachable` where there is no answer, or none that stays below
    ///   ``WebRequest/limit``; `CancellationError`.
    func answer(to request: WebRequest) async throws -> WebAnswer
}

/// A request for something small.
public struct WebRequest: Hashable, Sendable {
    /// Where it goes.
    public var url: URL
    /// `GET` or `HEAD`.
    public var method: String
    /// Headers to send.
    public var headers: [String: String]
    /// The most bytes that are read of an answer.
    public var limit: Int
    /// Whether a redirect is followed; else it is the answer.
    public var followsRedirects: Bool

    /// Creates a request.
    public init(
        _ url: URL, method: String = "GET", headers: [String: String] = [:], limit: Int = 8 << 20,
        followsRedirects: Bool = true
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.limit = limit
        self.followsRedirects = followsRedirects
    }
}

/// An answer from the web.
public struct WebAnswer: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The body.
    public var body: Data
    /// The headers, with their names in lowercase.
    let headers: [String: String]

    /// Creates an answer.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.body = body
    }

    /// The value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? { headers[name.lowercased()] }
}
