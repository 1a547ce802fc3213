// SPDX-License-Identifier: Apache-2.0

/// An error for a rule of `ModelRunnerConformance` that a runner breaks.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The check, as a sentence that should be true.
    public var check: String
    /// What was found instead.
    public var message: String

    /// The check and the message.
    public var description: String { "\(check): \(message)" }
}
