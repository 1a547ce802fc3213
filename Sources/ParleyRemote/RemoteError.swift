// SPDX-License-Identifier: Apache-2.0

/// An error of a server that replies in the place of a model on this machine.
///
/// The message has what the server said, in one line and cut to a few hundred characters; nothing that repeats the key
/// or the text of a message.
public struct RemoteError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The address or the key cannot be used.
        public static let invalidAddress = Code(description: "invalidAddress")
        /// The server cannot be reached, or the connection was lost before it answered.
        public static let unreachable = Code(description: "unreachable")
        /// The server did not answer in time, or stopped sending.
        public static let timedOut = Code(description: "timedOut")
        /// There is no such API at the address.
        public static let wrongPath = Code(description: "wrongPath")
        /// The server wants a key, or another one.
        public static let unauthorized = Code(description: "unauthorized")
        /// The server does not have the model.
        public static let modelNotFound = Code(description: "modelNotFound")
        /// The prompt does not fit into the model's context.
        public static let contextExceeded = Code(description: "contextExceeded")
        /// The server has too much to do, or the client has asked too often.
        public static let overloaded = Code(description: "overloaded")
        /// The server refuses the request.
        public static let refused = Code(description: "refused")
        /// The server has failed.
        public static let serverFailed = Code(description: "serverFailed")
        /// The server's answer is not of the form of OpenAI's API, or is too large.
        public static let invalidAnswer = Code(description: "invalidAnswer")
        /// The connection ended within the reply.
        public static let interrupted = Code(description: "interrupted")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The HTTP status of the server's answer; nil if there was none.
    public var status: Int?
    /// The server's own code for the failure, such as `model_not_found`; nil if it states none.
    public var serverCode: String?
    /// For `contextExceeded`: the length of the prompt in tokens, if the server states it.
    public var promptTokens: Int?
    /// For `contextExceeded`: the size of the context in tokens, if the server states it.
    public var contextTokens: Int?
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, status: Int? = nil, serverCode: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.serverCode = serverCode
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
