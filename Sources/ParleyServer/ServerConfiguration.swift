// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How a server listens and whom it serves.
public struct ServerConfiguration: Sendable {
    /// Where a server listens.
    public enum Address: Hashable, Sendable {
        /// An address of the machine, and a port; port 0 takes one that is free.
        case internet(host: String, port: Int)
        /// A socket in the file system.
        case socket(path: String)
        /// A socket that another program has bound, listens on, and has handed over, which the server closes.
        case inherited(descriptor: CInt)
    }

    /// Where the server listens.
    public var address: Address
    /// The certificate by which connections are encrypted; nil for connections that are not.
    public var certificate: ServerCertificate?
    /// Names under which requests may ask for models; `*` stands for any name.
    public var aliases: [String: String] = [:]
    /// How many replies of a model run at a time.
    public var parallel = 16
    /// How many requests for a model wait.
    public var queue = 256
    /// How long a request waits at most.
    public var queueTime = Duration.seconds(120)
    /// The names of hosts that requests may be addressed to, besides literal addresses and `localhost`.
    public var hosts: [String] = []
    /// The origins of other sites whose pages may use the server.
    public var origins: Set<String> = []
    /// The keys.
    public var keys = KeyRing()
    /// The file of the keys, in which its page adds and removes some; nil where that is done elsewhere.
    public var keyFile: URL?
    /// The key of the server's own page; unlike others it does not make replies need one.
    public var ownKey: AccessKey?
    /// Whether every request needs a key, although none exists.
    public var alwaysNeedsKey = false
    /// Whether sounds of clients are only taken as WAV, which Parley reads itself; other forms are read by the system on
    /// Apple's, and on Linux by libsndfile where it is installed.
    public var onlyReadsWAV = false
    /// What the server takes of a client at most.
    public var limits = ServerLimits()
    /// The version that `/openapi.json` and the heads of answers tell.
    public var version: String

    /// Creates a configuration.
    public init(address: Address = .internet(host: "127.0.0.1", port: 8_080), version: String) {
        self.address = address
        self.version = version
    }

    /// Whether another server takes over the socket when this one ends.
    var isHandedOver: Bool {
        if case .inherited = address { true } else { false }
    }

    /// The name of the model that a request asks for by a name or alias.
    func model(named name: String, among known: [String]) -> String {
        if let meant = aliases[name] { return meant }
        if known.contains(name) { return name }
        return aliases["*"] ?? name
    }
}
