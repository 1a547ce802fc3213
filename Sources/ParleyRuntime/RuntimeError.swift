// SPDX-License-Identifier: Apache-2.0

/// Why a model could not run.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String {
            case contextExceeded, insufficientMemory, invalidInput, invalidFile, engineFailed, unsupported
        }
        private let value: Value

        /// The tokens do not fit into the context.
        public static let contextExceeded = Code(value: .contextExceeded)
        /// There is not enough memory.
        public static let insufficientMemory = Code(value: .insufficientMemory)
        /// The caller passed an invalid value.
        public static let invalidInput = Code(value: .invalidInput)
        /// The model file is damaged or contradicts itself.
        public static let invalidFile = Code(value: .invalidFile)
        /// The engine failed while it ran.
        public static let engineFailed = Code(value: .engineFailed)
        /// The engine does not support the architecture, the type or the kind of input.
        public static let unsupported = Code(value: .unsupported)

        /// The code's name.
        public var description: String { value.rawValue }
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
