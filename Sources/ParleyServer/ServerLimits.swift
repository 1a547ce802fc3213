// SPDX-License-Identifier: Apache-2.0

public import ParleyOpenAI

/// What the server takes of a client at most.
public struct ServerLimits: Sendable {
    /// The largest head of a request, in bytes.
    public var headBytes = 16 << 10
    /// The most fields in a head.
    public var headFields = 100
    /// How long the head of a request may take to arrive: the first from the beginning of the connection on, others from
    /// their first byte on.
    public var headTime = Duration.seconds(10)
    /// The largest body, in bytes.
    public var bodyBytes = 32 << 20
    /// The most bytes of all bodies together, from their arrival until their requests are answered. A client has at most
    /// half of them. It counts as twice ``bodyBytes`` where it is less.
    public var allBodyBytes = 256 << 20
    /// How long a whole body may take to arrive.
    public var bodyTime = Duration.seconds(30)
    /// The most connections at a time; more wait to be accepted.
    public var connections = 512
    /// How long a connection may be idle between requests.
    public var idleTime = Duration.seconds(60)
    /// What is read of a body.
    public var wire = WireLimits.standard
    /// The most tokens that are told, or whose text is; also the longest text whose tokens are, in bytes.
    public var toldTokens = 1 << 20
    /// How long a reply may take from its admission on.
    public var requestTime = Duration.seconds(600)
    /// How long the schemas of a request may take to prepare.
    public var schemaTime = Duration.seconds(2)
    /// After how long the head of a stream is sent at the latest.
    public var streamHeadTime = Duration.seconds(2)
    /// After how long without an event a stream has a comment line.
    public var silence = Duration.seconds(5)
    /// How many bytes of a stream a client may leave unread.
    public var unreadBytes = 1 << 20
    /// How long a client may leave a full buffer unread.
    public var unreadTime = Duration.seconds(30)
    /// How long replies may run on while the server drains.
    public var drainTime = Duration.seconds(30)
    /// How long a new connection is waited for to send its first request, when the server ends and another takes over.
    public var lastRequestTime = Duration.seconds(1)

    /// Creates the usual limits.
    public init() {}
}
