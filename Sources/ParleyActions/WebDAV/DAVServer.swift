// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
package import ParleyHTTP

/// Sends the requests of WebDAV, CalDAV and CardDAV to one server.
///
/// Credentials go to the scheme, host and port of the address alone, and only encrypted or on this machine. Redirects
/// are answers like others.
package struct DAVServer: Sendable {
    /// How a write ended.
    package enum Writing: Hashable, Sendable {
        /// The server has it, with the entity tag that it gave, if any.
        case done(etag: String?)
        /// The resource is not what the request expects.
        case changed
        /// There is no such resource.
        case gone
        /// The server does not take it, for another reason.
        case refused(status: Int)
    }

    /// The bounds of answers in bytes.
    static let (listLimit, itemLimit) = (64 << 20, FolderStore.usualLimit)

    /// The address of the account.
    package let address: URL
    private let http: any HTTPClient
    private let authorization: String?
    private let limits: HTTPTimeLimits

    /// Creates a value for an account.
    ///
    /// - Parameters:
    ///   - address: an address on the server.
    ///   - user: the user; nil to send no credentials.
    ///   - password: the password.
    ///   - http: sends the requests.
    ///   - environment: says whether a proxy would carry what is meant for this machine.
    ///   - limits: the time limits of each answer.
    /// - Throws: ``AssistantError`` with code `refused` for an address to which a password would go unencrypted, or
    ///   `invalidInput`.
    package init(
        _ address: URL, user: String?, password: String, http: any HTTPClient,
        environment: ProcessEnvironment = .process, limits: HTTPTimeLimits = .ofServers
    ) throws(AssistantError) {
        try Self.check(address)
        if let user {
            try Self.checkSecrecy(of: address, environment: environment)
            // A colon would move its end into the password (RFC 7617).
            guard !user.contains(":") else { throw AssistantError(.invalidInput, "A user name has no colon.") }
            authorization = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        } else {
            authorization = nil
        }
        (self.address, self.http, self.limits) = (address, http, limits)
    }

    /// Checks that an address names a server and a path alone.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`.
    static func check(_ address: URL) throws(AssistantError) {
        guard address.isOfWeb, DAVPath(address) != nil, address.query() == nil, address.fragment() == nil else {
            throw AssistantError(.invalidInput, "An account needs an address such as https://example.org/dav/.")
        }
        guard address.user() == nil, address.password() == nil else {
            throw AssistantError(
                .invalidInput, "The address has a user or a password in it; give the user apart, and no password.")
        }
    }

    /// Checks that nobody on the way to an address could read a password: it goes encrypted, or stays on this machine.
    ///
    /// - Throws: ``AssistantError`` with code `refused`.
    package static func checkSecrecy(of address: URL, environment: ProcessEnvironment) throws(AssistantError) {
        if address.scheme?.lowercased() == "https" { return }
        let host = address.host() ?? "the server"
        guard address.isLoopback else {
            throw AssistantError(.refused, "The password would go to \(host) unencrypted; use https.")
        }
        if EnvironmentProxies(environment).carries(address) {
            throw AssistantError(
                .refused,
                "A proxy of the environment would carry the password for this machine: add \(host) to no_proxy.")
        }
    }

    /// Sends a request to a path.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`, or `CancellationError`.
    package func answer(
        _ method: String, _ path: String, headers: HTTPHeaders = [:], body: Data? = nil, upTo limit: Int = listLimit
    ) async throws -> HTTPAnswer {
        guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: true) else { throw unreadable }
        (parts.percentEncodedPath, parts.query, parts.fragment) = (path, nil, nil)
        guard let url = parts.url else { throw unreadable }
        var request = HTTPRequest(url, method: method, headers: headers, body: body)
        request.headers["Authorization"] = authorization
        request.headers["User-Agent"] = "Parley"
        (request.followsRedirects, request.limits) = (false, limits)
        let answer: HTTPAnswer
        do {
            answer = try await http.answer(to: request, upTo: limit)
        } catch let error as HTTPError {
            let code: AssistantError.Code = error.code == .tooLarge ? .tooLarge : .storeUnavailable
            throw AssistantError(code, error.message, cause: error)
        }
        switch answer.status {
        case 401:
            throw AssistantError(.storeUnavailable, "\(host) does not accept the user and the password.")
        case 429, 500..<507, 508...:
            throw AssistantError(
                .storeUnavailable, "\(host) cannot answer now (status \(answer.status)).",
                cause: HTTPError(.unreachable, "The server failed."))
        default: return answer
        }
    }

    /// Asks for properties of a resource, and with depth 1 of what is in it.
    ///
    /// - Returns: the answer; nil if there is no such resource, or it may not be read.
    /// - Throws: ``AssistantError``, or `CancellationError`.
    package func properties(
        _ names: [XMLTree.Name], of path: DAVPath, depth: Int = 0
    ) async throws -> Multistatus? {
        let headers: HTTPHeaders = ["Depth": "\(depth)", "Content-Type": Self.xml]
        let answer = try await answer("PROPFIND", path.encodedFolder, headers: headers, body: DAVBody.propfind(names))
        guard answer.status == 207 else { return nil }
        return try Multistatus(reading: answer.body)
    }

    /// Asks for a report on a collection.
    ///
    /// - Returns: the answer; nil if the server refuses the request, as with a token that it no longer knows.
    /// - Throws: ``AssistantError``, or `CancellationError`.
    package func report(_ body: Data, on path: DAVPath, depth: Int) async throws -> Multistatus? {
        let headers: HTTPHeaders = ["Depth": "\(depth)", "Content-Type": Self.xml]
        let answer = try await answer("REPORT", path.encodedFolder, headers: headers, body: body)
        return answer.status == 207 ? try Multistatus(reading: answer.body) : nil
    }

    /// The content of an item with its entity tag; nil if there is none.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError`.
    package func item(_ path: DAVPath) async throws -> (content: Data, etag: String?)? {
        // Servers that compress what they send give it another entity tag than the item has.
        let answer = try await answer(
            "GET", path.encoded, headers: ["Accept-Encoding": "identity"], upTo: Self.itemLimit)
        switch answer.status {
        case 200: return (answer.body, answer.headers["ETag"])
        case 404, 410: return nil
        default: throw AssistantError(.invalidAnswer, "\(host) does not give \(path.encoded) (\(answer.status)).")
        }
    }

    /// Writes an item.
    ///
    /// - Parameters:
    ///   - content: the content.
    ///   - path: the item.
    ///   - etag: the entity tag of the content that is replaced; nil to create the item.
    ///   - kind: what the item is.
    /// - Returns: how it ended.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` if it is not known whether the server has it, or
    ///   `CancellationError`.
    package func put(
        _ content: Data, at path: DAVPath, replacing etag: String?, kind: DAVCollection.Kind
    ) async throws -> Writing {
        var headers: HTTPHeaders = ["Content-Type": kind.contentType]
        if let etag { headers["If-Match"] = etag } else { headers["If-None-Match"] = "*" }
        return Self.writing(try await answer("PUT", path.encoded, headers: headers, body: content))
    }

    /// Deletes an item that still has an entity tag.
    ///
    /// - Returns: how it ended.
    /// - Throws: As ``put(_:at:replacing:kind:)``.
    package func delete(_ path: DAVPath, with etag: String) async throws -> Writing {
        Self.writing(try await answer("DELETE", path.encoded, headers: ["If-Match": etag]))
    }

    private static func writing(_ answer: HTTPAnswer) -> Writing {
        switch answer.status {
        case 200...299: .done(etag: answer.headers["ETag"])
        case 412: .changed
        case 404, 410: .gone
        default: .refused(status: answer.status)
        }
    }

    /// The host, for messages.
    package var host: String { address.host() ?? "The server" }
    private static let xml = "application/xml; charset=utf-8"
    private var unreadable: AssistantError { AssistantError(.invalidInput, "The address of the account is not valid.") }
}

extension HTTPTimeLimits {
    /// The limits for servers of calendars, of which reports may take some time.
    package static var ofServers: HTTPTimeLimits {
        var limits = HTTPTimeLimits()
        (limits.answer, limits.whole) = (.seconds(30), .seconds(300))
        return limits
    }
}

extension AssistantError {
    /// Whether the server could not be reached, so that trying again later makes sense.
    package var isOffline: Bool {
        guard code == .storeUnavailable, let error = cause as? HTTPError else { return false }
        return [.unreachable, .timedOut].contains(error.code)
    }
}
