// SPDX-License-Identifier: Apache-2.0

/// An error of a command: what happened and how to remedy it.
struct ServeError: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do.
    var message: String
    /// The underlying error, if any.
    var cause: (any Error)?

    /// Creates an error.
    init(_ message: String, cause: (any Error)? = nil) {
        self.message = message
        self.cause = cause
    }

    /// The message.
    var description: String { message }
}
