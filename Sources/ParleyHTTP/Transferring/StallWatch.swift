// SPDX-License-Identifier: Apache-2.0

/// Tells a transfer that brings next to nothing from a slow one.
package struct StallWatch: Sendable {
    private let pace: HTTPTimeLimits.Pace
    private var seen: Int64?

    /// Creates a watch.
    package init(_ pace: HTTPTimeLimits.Pace) {
        self.pace = pace
    }

    /// Whether too little has come since the last look.
    ///
    /// - Parameter received: all bytes so far; nil before the server has answered, for which there is another limit.
    /// - Returns: whether the transfer is to be given up.
    package mutating func isStalled(at received: Int64?) -> Bool {
        defer { seen = received }
        guard let received, let seen else { return false }
        return received - seen < pace.bytes
    }
}
