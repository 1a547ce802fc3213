// SPDX-License-Identifier: Apache-2.0

/// Tells a transfer that brings next to nothing from a slow one.
package struct StallWatch: Sendable {
    /// How often a transfer is looked at.
    package var interval = Duration.seconds(60)
    /// A transfer that brings less than this in one interval is given up.
    package var leastBytes: Int64 = 16 << 10
    private var seen: Int64?

    /// Creates a watch.
    package init() {}

    /// Whether too little has come since the last look.
    ///
    /// - Parameter received: all bytes so far; nil before the server has answered, for which there is another limit.
    /// - Returns: whether the transfer is to be given up.
    package mutating func isStalled(at received: Int64?) -> Bool {
        defer { seen = received }
        guard let received, let seen else { return false }
        return received - seen < leastBytes
    }
}
