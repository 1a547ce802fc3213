// SPDX-License-Identifier: Apache-2.0

/// A rule that a runner broke.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The check, as a sentence that should be true.
    public var check: String
    /// What was found instead.
    public var message: String

    /// Both.
    public var description: String { "\(check): \(message)" }
}
