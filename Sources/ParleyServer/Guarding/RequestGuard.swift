// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import ParleyOpenAI

/// Decides whether a request may reach its route, by its head alone: no byte of a body is read before.
package struct RequestGuard: Sendable {
    /// The names of hosts that requests may be addressed to.
    package let hosts: HostRule
    /// The origins of other sites whose pages may use the server.
    package let origins: Set<String>
    /// The keys.
    package let keys: KeyStore
    /// The key of the server's own page, for which nothing is closed to others; nil where there is none.
    private let ownKey: AccessKey?
    /// Whether requests for replies need a key although none exists, because others than this machine's users reach
    /// the server.
    package let alwaysNeedsKey: Bool

    /// Creates a guard.
    package init(
        hosts: HostRule, origins: Set<String>, keys: KeyStore, ownKey: AccessKey? = nil, alwaysNeedsKey: Bool
    ) {
        self.hosts = hosts
        self.origins = origins
        self.keys = keys
        self.ownKey = ownKey
        self.alwaysNeedsKey = alwaysNeedsKey
    }

    /// Who sent a request, as far as it is known.
    package struct Client: Hashable, Sendable {
        /// The name of the key; nil without one.
        package var key: AccessKey?
        /// What the queue shares turns over: the key's name, else the address.
        package var identity: String
    }

    /// Checks where a request comes from and is addressed to.
    ///
    /// - Parameters:
    ///   - head: the head of the request.
    ///   - isLocalSocket: whether it came through a socket in the file system, where no page of a browser comes from.
    /// - Throws: ``ServerError``.
    package func checkOrigin(_ head: HTTPRequest, isLocalSocket: Bool = false) throws(ServerError) {
        // A second field stays among the others. Two programs on the way could each believe another one (RFC 9112, 3.2).
        guard head.headerFields[.secondHost] == nil else {
            throw ServerError(400, .invalidHTTP, "The request names its host twice. Send one Host field.")
        }
        guard isLocalSocket || head.authority?.isEmpty == false else {
            throw ServerError(400, .invalidHTTP, "The request names no host. Send a Host field.")
        }
        guard isLocalSocket || hosts.allows(head.authority ?? "") else {
            throw ServerError(
                403, .forbiddenHost,
                "The server does not answer for the host that Host names. Start it with --allow-host NAME to allow it.")
        }
        let own = head.authority.map { ["http://\($0)", "https://\($0)"] } ?? []
        if let origin = head.headerFields[.origin] {
            guard origins.contains(origin) || own.contains(origin) else { throw Self.foreign }
        } else if let site = head.headerFields[.secFetchSite], site == "cross-site" || site == "same-site" {
            throw Self.foreign
        }
    }

    private static let foreign = ServerError(
        403, .forbiddenOrigin,
        "Pages of other sites may not use the server. Start it with --allow-origin ORIGIN to allow one.")

    /// An origin as browsers send it, `scheme://host` or `scheme://host:port`; a slash after it is left out.
    ///
    /// - Returns: the origin; nil if the text is none.
    package static func origin(of text: String) -> String? {
        let text = (text.hasSuffix("/") ? String(text.dropLast()) : text).lowercased()
        guard let mark = text.firstRange(of: "://") else { return nil }
        let (scheme, authority) = (text[..<mark.lowerBound], String(text[mark.upperBound...]))
        let isScheme =
            scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let isAuthority = authority.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._:[]".contains($0)) }
        return isScheme && isAuthority && HostRule.host(of: authority) != nil && !authority.hasSuffix(":") ? text : nil
    }

    /// The origin to name in an answer, for a page of another site that is allowed.
    package func allowedOrigin(_ head: HTTPRequest) -> String? {
        head.headerFields[.origin].flatMap { origins.contains($0) ? $0 : nil }
    }

    /// Checks the key of a request.
    ///
    /// - Parameters:
    ///   - head: the head of the request.
    ///   - scope: what the route needs; nil if everybody may use it.
    ///   - address: where the request comes from.
    /// - Returns: who sent it.
    /// - Throws: ``ServerError``.
    package func client(_ head: HTTPRequest, needing scope: KeyScope?, address: String) throws(ServerError) -> Client {
        let secret = Self.secret(head)
        let ring = keys.ring
        let key = secret.flatMap(KeyRing(ring.keys + [ownKey].compactMap(\.self)).key(of:))
        guard let scope else { return Client(key: key, identity: key.map { "key \($0.name)" } ?? address) }
        if let key {
            guard key.scopes.contains(scope) else {
                throw ServerError(
                    403, .insufficientScope,
                    "The key may not be used for this. Add one with --scope \(scope.rawValue).")
            }
            keys.use(key.name)
            return Client(key: key, identity: "key \(key.name)")
        }
        let isCompute = scope == .api || scope == .metrics
        let isOpen = isCompute && !alwaysNeedsKey && !ring.has(.api) && !ring.has(.metrics)
        guard isOpen else {
            throw ServerError(
                401, .invalidAPIKey,
                (secret == nil
                    ? "A key is needed. Send it as Authorization: Bearer KEY; " : "The key is not known. ")
                    + "parley serve keys add NAME\(scope == .api ? "" : " --scope \(scope.rawValue)") makes one.")
        }
        return Client(key: nil, identity: address)
    }

    /// Whether a key still opens what it opened.
    package func stillKnows(_ key: AccessKey) -> Bool { key == ownKey || keys.ring.keys.contains(key) }

    /// The key in the head of a request. Other credentials in `Authorization` are for a proxy on the way.
    private static func secret(_ head: HTTPRequest) -> String? {
        let words: [Substring] = head.headerFields[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        if let scheme = words.first, scheme.lowercased() == "bearer" { return words.count == 2 ? String(words[1]) : "" }
        return head.headerFields[.apiKey]
    }
}

extension HTTPField.Name {
    /// Says from what kind of site a browser's request comes.
    static let secFetchSite = parsed("Sec-Fetch-Site")
    /// The key, as some clients send it.
    static let apiKey = parsed("x-api-key")
    /// The host, where a request names it a second time.
    static let secondHost = parsed("Host")
    /// The id of a request, for logs.
    static let requestID = parsed("X-Request-Id")
    /// The same, as Anthropic's clients look for it.
    static let anthropicRequestID = parsed("request-id")
    /// The version of Anthropic's API that a client speaks.
    static let anthropicVersion = parsed("anthropic-version")
    /// The names of members of a request that are ignored.
    static let ignoredMembers = parsed("X-Parley-Ignored")
    /// Whether a client of OpenAI's should try again.
    static let shouldRetry = parsed("x-should-retry")
    /// A name of the conversation that a request belongs to.
    static let conversationID = parsed("X-Conversation-Id")
    /// The trace that a request belongs to.
    static let traceParent = parsed("traceparent")

    /// A name that is known to be valid.
    private static func parsed(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
