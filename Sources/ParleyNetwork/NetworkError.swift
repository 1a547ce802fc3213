// SPDX-License-Identifier: Apache-2.0

/// The reason why a network cannot be read from a file; engines convert it to their own error type.
package struct NetworkError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        package let description: String

        /// The file is damaged or contradicts itself.
        package static let invalidFile = Code(description: "invalidFile")
        /// The file requires something that no layer implements, or stores weights in a form that no kernel reads.
        package static let unsupported = Code(description: "unsupported")
    }

    /// What kind of failure it is.
    package var code: Code
    /// What happened and what to do.
    package var message: String
    /// The underlying error, if any.
    package var cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    package var description: String { message }
}
