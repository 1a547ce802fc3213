// SPDX-License-Identifier: Apache-2.0

/// Why a model could not run.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The tokens do not fit into the context.
        public static let contextExceeded = Code(description: "contextExceeded")
        /// There is not enough memory.
        public static let insufficientMemory = Code(description: "insufficientMemory")
        /// The caller passed an invalid value.
        public static let invalidInput = Code(description: "invalidInput")
        /// The model file is damaged or contradicts itself.
        public static let invalidFile = Code(description: "invalidFile")
        /// The engine failed while it ran.
        public static let engineFailed = Code(description: "engineFailed")
        /// The engine does not support the architecture, the type or the kind of input.
        public static let unsupported = Code(description: "unsupported")
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
