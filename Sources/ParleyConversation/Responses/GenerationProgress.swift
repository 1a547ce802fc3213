// SPDX-License-Identifier: Apache-2.0

/// How far a reply is from its next piece; see ``Reply/progress``.
public enum GenerationProgress: Hashable, Sendable {
    /// The reply waits for memory or for its turn, in a place counted from 1.
    case queued(place: Int)
    /// So many tokens of the prompt, of all, have been read. A reply that had to give its memory to others reads again.
    case reading(Int, of: Int)

    /// The part of the prompt that has been read, from 0 to 1; nil while the reply waits.
    public var fraction: Double? {
        guard case .reading(let count, let total) = self else { return nil }
        return total > 0 ? min(max(Double(count) / Double(total), 0), 1) : 1
    }
}
