// SPDX-License-Identifier: Apache-2.0

/// The error of a response that is missing or incomplete; a status that reports failure is not such an error.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// The address is not an HTTP address or is too long, or the request has headers that cannot be sent.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// The server cannot be reached, or the connection was lost.
        public static let unreachable = Code(description: "unreachable")
        /// The server took too long to respond, to finish or to continue sending.
        public static let timedOut = Code(description: "timedOut")
        /// The server redirects to an address that is not allowed, or redirects too often.
        public static let refusedRedirect = Code(description: "refusedRedirect")
        /// The response is larger than expected.
        public static let tooLarge = Code(description: "tooLarge")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it.
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
