// SPDX-License-Identifier: Apache-2.0

/// The system had no memory, or did not allow it to be locked.
public struct AllocationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bytes that were asked for; negative, or the largest integer, where their count overflowed.
    public let byteCount: Int
    /// Why the memory could not be locked against swapping; nil where it could not be allocated at all.
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
