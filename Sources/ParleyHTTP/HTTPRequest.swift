// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request and the time limits of its response.
public struct HTTPRequest: Hashable, Sendable {
    /// The address, with the scheme `http` or `https`; user and password in it are not sent.
    public var url: URL
    /// The HTTP method, such as `GET` or `POST`.
    public var method: String
    /// The headers to send.
    ///
    /// Headers with names that indicate credentials are sent only to the scheme, host and port of ``url``.
    public var headers: HTTPHeaders
    /// The body to send; a redirect that would require sending it again (307 or 308) is refused.
    public var body: Data?
    /// Whether redirects are followed; otherwise a redirect is the response.
    public var followsRedirects = true
    /// The time limits of the exchange.
    public var limits = HTTPTimeLimits()

    /// Creates a request.
    public init(_ url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: Data? = nil) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }
}

/// The time limits of an exchange.
public struct HTTPTimeLimits: Hashable, Sendable {
    /// The limit for the first byte of the response's body, or for all of an empty response, including redirects.
    ///
    /// A stream of events whose first event may arrive late needs a larger limit.
    public var answer = Duration.seconds(30)
    /// The limit for the whole exchange; nil for none.
    public var whole: Duration?
    /// The minimum pace of data once the response has begun; nil if the server may be silent, as between events.
    public var pace: Pace? = Pace()

    /// The minimum amount of data that must arrive in every interval.
    public struct Pace: Hashable, Sendable {
        /// The interval between checks.
        public var interval = Duration.seconds(60)
        /// The number of bytes that must have arrived since the last check.
        public var bytes: Int64 = 16 << 10

        /// Creates a pace of 16 KiB per minute.
        public init() {}
    }

    /// Creates limits.
    public init() {}
}

/// The headers of a request or response, whose names are not case-sensitive.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The values, by name in lower case.
    package private(set) var values: [String: String] = [:]

    /// Creates headers; if names differ only in case, only one of them is kept.
    public init(_ values: [String: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// Creates headers; if names differ only in case, the last one is kept.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a header.
    public subscript(name: String) -> String? {
        get { values[name.lowercased()] }
        set { values[name.lowercased()] = newValue }
    }

    /// The media type that `Content-Type` names, in small letters and without parameters; nil without that header.
    package var mediaType: String? {
        self["content-type"].map { $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// The headers without those whose names indicate credentials.
    var withoutCredentials: HTTPHeaders {
        var result = self
        let marks = ["auth", "cookie", "key", "password", "secret", "token"]
        for name in values.keys where marks.contains(where: { name.contains($0) }) { result[name] = nil }
        return result
    }
}

extension HTTPRequest {
    /// The host, for messages.
    var host: String { url.host() ?? "The server" }

    /// Checks that the address is an HTTP address of acceptable length and that the headers cannot be mistaken for something else.
    ///
    /// - Throws: ``HTTPError`` with code `invalidRequest`.
    func check() throws(HTTPError) {
        guard url.isOfWeb else {
            throw HTTPError(.invalidRequest, "\(url.redacted.absoluteString) is not an address of the web.")
        }
        guard url.absoluteString.utf8.count <= Self.longestAddress else {
            throw HTTPError(
                .invalidRequest,
                "The address at \(host) has more than \(Self.longestAddress) bytes, which servers do not accept. "
                    + "Use a shorter one.")
        }
        let names = [method] + headers.values.keys
        guard names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isTokenCharacter) }),
            // A line break would start another header.
            headers.values.values.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } })
        else { throw HTTPError(.invalidRequest, "The request to \(host) has a header that cannot be sent.") }
    }

    /// The maximum length of an address in bytes: what every server should accept (RFC 9110, section 4.1).
    private static let longestAddress = 8_000

    /// Whether a byte is allowed in the name of a method or header (RFC 9110, section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Whether a redirect with this status is followed without the body (RFC 9110, section 15.4).
    func losesBody(at status: Int) -> Bool {
        status == 303 && method != "HEAD" || [301, 302].contains(status) && method == "POST"
    }

    /// Why a redirect must not be followed, as the end of a sentence that begins with the host; nil if it may be.
    package func refusal(ofRedirectTo target: URL, withBody: Bool) -> String? {
        if let refusal = url.refusal(ofSendingTo: target) { return refusal }
        if target.absoluteString.utf8.count > Self.longestAddress { return "redirects to an address that is too long" }
        // Foundation does not resend bodies on every system, and the body was meant only for the original address.
        if withBody, body != nil { return "sends what was meant for it to another address" }
        return nil
    }

    /// The request for a redirect, or for its own address without user and password.
    ///
    /// It lacks the credentials if the target has another origin; they stay removed even if a later redirect leads
    /// back.
    package func redirected(to target: URL, withBody: Bool = true) -> HTTPRequest {
        var result = self
        result.url = target.withoutUser
        if target.origin != url.origin { result.headers = headers.withoutCredentials }
        if !withBody {
            result.method = "GET"
            result.body = nil
            for name in ["content-type", "content-length"] { result.headers[name] = nil }
        }
        return result
    }
}
