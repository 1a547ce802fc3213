// SPDX-License-Identifier: Apache-2.0

/// The error of a plan that cannot be measured.
package struct BenchmarkError: Error, Sendable, CustomStringConvertible {
    /// What is wrong with the plan.
    package var message: String

    /// Creates an error.
    package init(_ message: String) {
        self.message = message
    }

    /// The message.
    package var description: String { message }
}
