// SPDX-License-Identifier: Apache-2.0

/// The system gave no memory.
public struct AllocationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bytes that were asked for; negative, or the largest number there is, where their count was too large to say.
    public let byteCount: Int
    /// Why memory could not be locked, where it was had but could not be kept from being swapped out; else nil.
    public let lockingProblem: String?

    /// Creates an error.
    public init(byteCount: Int, lockingProblem: String? = nil) {
        self.byteCount = byteCount
        self.lockingProblem = lockingProblem
    }

    /// What happened and what to do.
    public var description: String {
        if let lockingProblem { return lockingProblem }
        let size = byteCount >= 0 && byteCount < .max ? "\(byteCount >> 10) KiB" : "so much memory"
        return "The system gave no memory for \(size). Close other programs, or choose a shorter context or a smaller "
            + "model."
    }
}
