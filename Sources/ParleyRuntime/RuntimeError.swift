// SPDX-License-Identifier: Apache-2.0

/// The error of a model that cannot be loaded or run.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// The tokens do not fit into the context.
        public static let contextExceeded = Code(description: "contextExceeded")
        /// There is not enough memory.
        public static let insufficientMemory = Code(description: "insufficientMemory")
        /// The caller passed an invalid value.
        public static let invalidInput = Code(description: "invalidInput")
        /// The model file is damaged or inconsistent.
        public static let invalidFile = Code(description: "invalidFile")
        /// The engine failed while running the model.
        public static let engineFailed = Code(description: "engineFailed")
        /// The engine does not support the architecture, the data type or the kind of input.
        public static let unsupported = Code(description: "unsupported")
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
