// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request, and how long its answer may take.
public struct HTTPRequest: Hashable, Sendable {
    /// Where it goes: an address of `http` or `https`. User and password in it are not sent.
    public var url: URL
    /// `GET`, `POST` and so on.
    public var method: String
    /// Headers to send. Those that hold credentials, as their names tell, go to the scheme, host and port of ``url``
    /// only.
    public var headers: HTTPHeaders
    /// What is sent to the server. A redirect that would have it sent again (307, 308) is refused.
    public var body: Data?
    /// Whether a redirect is followed; else it is the answer.
    public var followsRedirects = true
    /// How long things may take.
    public var limits = HTTPTimeLimits()

    /// Creates a request.
    public init(_ url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: Data? = nil) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }
}

/// How long an exchange may take.
public struct HTTPTimeLimits: Hashable, Sendable {
    /// How long the server may take, redirects included, to send the first byte of its answer's body, or all of an
    /// empty one. A stream of events whose first may come late needs more.
    public var answer = Duration.seconds(30)
    /// How long the exchange may take altogether; nil for any time.
    public var whole: Duration?
    /// How much must come, and how often, once the answer has begun; nil where a server may be silent, as between events.
    public var pace: Pace? = Pace()

    /// The least that must come in every interval.
    public struct Pace: Hashable, Sendable {
        /// How often is looked.
        public var interval = Duration.seconds(60)
        /// The bytes that must have come since the last look.
        public var bytes: Int64 = 16 << 10

        /// Creates a pace of 16 KiB a minute.
        public init() {}
    }

    /// Creates limits.
    public init() {}
}

/// The headers of a request or an answer, whose names may have any case.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The values by name, in lower case.
    private(set) var values: [String: String] = [:]

    /// Creates headers; of names that differ only in case one is taken.
    public init(_ values: [String: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// Creates headers; of names that differ only in case the last one is taken.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a header.
    public subscript(name: String) -> String? {
        get { values[name.lowercased()] }
        set { values[name.lowercased()] = newValue }
    }

    /// The headers without those that hold credentials, as their names tell.
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

    /// Refuses what is no request: an address of another kind, or headers that would be read as something else.
    ///
    /// - Throws: ``HTTPError`` with code `invalidRequest`.
    func check() throws(HTTPError) {
        guard ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
            throw HTTPError(.invalidRequest, "\(url.redacted.absoluteString) is not an address of the web.")
        }
        let names = [method] + headers.values.keys
        guard names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isTokenCharacter) }),
            // A line break would begin another header.
            headers.values.values.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } })
        else { throw HTTPError(.invalidRequest, "The request to \(host) has a header that cannot be sent.") }
    }

    /// Whether a byte may stand in the name of a method or a header (RFC 9110, 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Whether what a redirect with this status leads to is asked for without the body (RFC 9110, 15.4).
    func losesBody(at status: Int) -> Bool {
        status == 303 && method != "HEAD" || [301, 302].contains(status) && method == "POST"
    }

    /// Why a redirect must not be followed, as the end of a sentence that begins with the host; nil where it may.
    package func refusal(ofRedirectTo target: URL, withBody: Bool) -> String? {
        if let refusal = url.refusal(ofSendingTo: target) { return refusal }
        // Foundation does not send a body twice on every system, and what it holds was meant for this address.
        if withBody, body != nil { return "sends what was meant for it to another address" }
        return nil
    }

    /// The request to its own address, or to one that it is redirected to: without the credentials where that is of
    /// another origin, and from there on, also where a later redirect leads back.
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
