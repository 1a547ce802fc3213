// SPDX-License-Identifier: Apache-2.0

/// An error of a connection to a server that speaks the Model Context Protocol.
///
/// The message never contains arguments, results or credentials.
public struct MCPError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The server could not be started or reached.
        public static let unreachable = Code(description: "unreachable")
        /// The server does not speak a revision of the protocol that this client knows.
        public static let unsupportedRevision = Code(description: "unsupportedRevision")
        /// The server's message is not one of the protocol.
        public static let invalidMessage = Code(description: "invalidMessage")
        /// The server answered a request with an error.
        public static let refused = Code(description: "refused")
        /// The server did not answer in time.
        public static let timedOut = Code(description: "timedOut")
        /// The connection was closed.
        public static let closed = Code(description: "closed")
        /// The server does not know the session, also not the one that was begun in its place.
        public static let sessionEnded = Code(description: "sessionEnded")
        /// The settings that name the servers cannot be read.
        public static let invalidSettings = Code(description: "invalidSettings")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The message.
    public var description: String { message }
}
