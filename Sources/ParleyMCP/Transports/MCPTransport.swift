// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// The way to a server: its standard streams, HTTP, or a script in tests.
///
/// The order of calls is ``open(_:)``, then ``send(_:)`` and ``agree(on:)`` any number of times beside one ``run()``,
/// and ``close()`` at the end.
public protocol MCPTransport: Sendable {
    /// Starts the server or prepares to reach it.
    ///
    /// - Parameter receive: called with each message of the server; while it has not returned, the transport reads
    ///   nothing more from the same stream.
    /// - Throws: ``MCPError`` with code `unreachable`.
    func open(_ receive: @escaping @Sendable (JSONValue) async -> Void) async throws

    /// Delivers messages until the connection ends or the task is cancelled.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    func run() async throws

    /// Sends a message. Where the answer comes by the same way, as with HTTP, this returns after the answer.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    func send(_ message: JSONValue) async throws

    /// Says which revision of the protocol was agreed on.
    func agree(on revision: MCPRevision) async

    /// Ends the connection and all that belongs to it. May be called at any time, also twice.
    func close() async
}

/// The limits of a connection.
public struct MCPLimits: Hashable, Sendable {
    /// The maximum size of a message in bytes, and of a list of tools, resources or prompts in all of its pages.
    public var messageBytes = 8 << 20
    /// The time for the beginning of a connection.
    public var connecting = Duration.seconds(30)
    /// The time for a request, unless the caller gives another.
    public var request = Duration.seconds(60)
    /// The time for the end of a connection: a server at an address is told, a program ends by itself when its input does.
    public var closing = Duration.seconds(2)
    /// The maximum number of tools, resources or prompts of a server; further ones are ignored.
    public var entries = 1_000
    /// The maximum number of characters of the text of a result; the rest is cut off.
    public var resultCharacters = 60_000

    /// Creates the usual limits.
    public init() {}
}
