// SPDX-License-Identifier: Apache-2.0

/// Detects a transfer that has all but stopped, as opposed to one that is merely slow.
package struct StallWatch: Sendable {
    private let pace: HTTPTimeLimits.Pace
    private var seen: Int64?

    /// Creates a watch.
    package init(_ pace: HTTPTimeLimits.Pace) {
        self.pace = pace
    }

    /// Checks whether too little data has arrived since the last check.
    ///
    /// - Parameter received: the number of bytes so far; nil before the server has responded, for which another limit
    ///   applies.
    /// - Returns: whether the transfer should be given up.
    package mutating func isStalled(at received: Int64?) -> Bool {
        defer { seen = received }
        guard let received, let seen else { return false }
        return received - seen < pace.bytes
    }
}
