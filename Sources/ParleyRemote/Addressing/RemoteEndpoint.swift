// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyHTTP

/// The address of an OpenAI-compatible server, with the key for it and the limits for its answers.
public struct RemoteEndpoint: Hashable, Sendable {
    /// The limits for the answers of a server.
    public struct Limits: Hashable, Sendable {
        /// How long the first byte of an answer may take. Servers that send nothing while they read a prompt need much.
        public var answer = Duration.seconds(600)
        /// How long a server may be silent within a reply.
        public var silence = Duration.seconds(120)
        /// The maximum size of an answer in bytes.
        public var answerBytes = 64 << 20
        /// How often a request is sent that the server has not begun to answer, the first time included.
        public var attempts = 3
        /// How long a server may ask to wait before the next attempt; if it asks for more, the request fails.
        public var longestWait = Duration.seconds(30)

        /// Creates the standard limits.
        public init() {}
    }

    /// The address that the paths of the API follow, such as `http://127.0.0.1:8080/v1`.
    public let url: URL
    /// The key; nil for a server without keys.
    public var key: RemoteKey?
    /// The limits for answers.
    public var limits = Limits()

    /// Creates the address of a server.
    ///
    /// The path is `/v1` where the address has none; the path of the chat completions itself is accepted too.
    ///
    /// - Parameters:
    ///   - url: the address, with `https`; `http` only for this machine.
    ///   - key: the key; nil for a server without keys.
    ///   - allowsPlainHTTP: whether `http` is used for other machines too. Everybody on the way can then read messages,
    ///     replies and the key.
    ///   - environment: says whether a proxy would carry what is meant for this machine.
    /// - Throws: ``RemoteError`` with code `invalidAddress`.
    public init(
        _ url: URL, key: RemoteKey? = nil, allowsPlainHTTP: Bool = false, environment: ProcessEnvironment = .process
    ) throws {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = url.host(),
            !host.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else {
            throw RemoteError(.invalidAddress, "That is no address of a server; write it as https://HOST/v1.")
        }
        guard url.user() == nil, url.password() == nil, url.query() == nil, url.fragment() == nil else {
            throw RemoteError(
                .invalidAddress, "The address of \(host) has a user, a query or a fragment; leave them out.")
        }
        if scheme == "http", !allowsPlainHTTP {
            guard url.isLoopback else {
                throw RemoteError(
                    .invalidAddress,
                    "Without encryption, everybody on the way to \(host) could read the messages and the key: use https."
                )
            }
            if EnvironmentProxies(environment).carries(url) {
                throw RemoteError(
                    .invalidAddress,
                    "A proxy of the environment would carry what is meant for this machine: add \(host) to no_proxy.")
            }
        }
        var path = parts.path
        for ending in ["/", "/chat/completions", "/models", "/"] where path.hasSuffix(ending) {
            path.removeLast(ending.count)
        }
        parts.path = path.isEmpty ? "/v1" : path
        guard let base = parts.url else {
            throw RemoteError(.invalidAddress, "That is no address of a server; write it as https://HOST/v1.")
        }
        self.url = base
        self.key = key
    }

    /// The host, with its port where that is not the usual one, for messages.
    public var host: String { url.port.map { "\(url.host() ?? ""):\($0)" } ?? url.host() ?? "" }

    /// Creates a request to a path of the API.
    func request(_ path: String, body: Data? = nil) -> HTTPRequest {
        var request = HTTPRequest(
            url.appending(path: path), method: body == nil ? "GET" : "POST", headers: ["User-Agent": "parley"],
            body: body)
        if let key { request.headers["Authorization"] = "Bearer \(key.secret)" }
        if body != nil { request.headers["Content-Type"] = "application/json" }
        request.followsRedirects = false
        request.limits.answer = limits.answer
        var pace = HTTPTimeLimits.Pace()
        (pace.interval, pace.bytes) = (limits.silence, 1)
        request.limits.pace = pace
        return request
    }
}
