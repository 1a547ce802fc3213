// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// An error for memory that the system did not provide or did not allow to be locked.
package struct AllocationError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        package let description: String

        /// The system does not have that much memory, or the size has overflowed.
        package static let insufficientMemory = Code(description: "insufficientMemory")
        /// There is enough memory, but the system does not allow it to be locked against swapping.
        package static let lockingRefused = Code(description: "lockingRefused")
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

    /// The error for memory that the system did not provide.
    ///
    /// - Parameter byteCount: the requested size; negative or `Int.max` if the size overflowed.
    init(byteCount: Int) {
        let size = byteCount >= 0 && byteCount < .max ? "\(ByteSize(clamping: byteCount))" : "so much memory"
        self.init(
            .insufficientMemory,
            "The system gave no memory for \(size). Close other programs, or choose a shorter context or a smaller "
                + "model.")
    }

    /// The message.
    package var description: String { message }
}
