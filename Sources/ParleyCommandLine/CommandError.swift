// SPDX-License-Identifier: Apache-2.0

/// An error of a command: what happened and how to remedy it.
package struct CommandError: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do.
    package var message: String
    /// The underlying error, if any.
    package var cause: (any Error)?

    /// Creates an error.
    package init(_ message: String, cause: (any Error)? = nil) {
        self.message = message
        self.cause = cause
    }

    /// The message.
    package var description: String { message }
}
