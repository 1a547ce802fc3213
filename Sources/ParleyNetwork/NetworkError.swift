// SPDX-License-Identifier: Apache-2.0

/// Why a network cannot be read from a file. An engine throws it as an error of its own.
package struct NetworkError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        package let description: String

        /// The file is damaged, or says things that cannot all be true.
        package static let invalidFile = Code(description: "invalidFile")
        /// The file asks for what no layer does, or stores weights as no kernel reads them.
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
