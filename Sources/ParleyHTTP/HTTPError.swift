// SPDX-License-Identifier: Apache-2.0

/// Why there is no answer, or only part of one. A status other than success is no error here.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// What is asked for is no address of the web, or has headers that cannot be sent.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// The server cannot be reached, or the connection broke off.
        public static let unreachable = Code(description: "unreachable")
        /// The server took too long to answer, to finish, or to send more.
        public static let timedOut = Code(description: "timedOut")
        /// The server sends its reader where nobody may be sent, or round in circles.
        public static let refusedRedirect = Code(description: "refusedRedirect")
        /// More came than was expected.
        public static let tooLarge = Code(description: "tooLarge")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
