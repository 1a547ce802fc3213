// SPDX-License-Identifier: Apache-2.0

/// The memory that the bodies of all requests may take together, as a pure state machine.
///
/// A client has at most half of it, so that one that sends slowly leaves room to others.
package struct BodyRoom: Sendable {
    /// How many bytes there are.
    private let size: Int
    private var taken = 0
    private var shares: [String: Int] = [:]

    /// Creates a room of which nothing is taken.
    ///
    /// - Parameter size: how many bytes there are.
    package init(size: Int) {
        self.size = size
    }

    /// A client sends so many bytes more.
    ///
    /// - Throws: ``ServerError`` with code `rate_limit_exceeded` if the client has its share already, or `queue_full` if
    ///   there is no room.
    package mutating func take(_ count: Int, of client: String) throws(ServerError) {
        let share = shares[client, default: 0] + count
        guard share <= size / 2 else {
            throw ServerError(
                429, .rateLimitExceeded,
                "Your requests take the memory that one client may have. Send this one when another has ended.",
                retryAfter: 1)
        }
        guard taken + count <= size else {
            throw ServerError(
                503, .queueFull, "The requests of all clients take the memory that there is. Send yours again later.",
                retryAfter: 5)
        }
        taken += count
        shares[client] = share
    }

    /// So many bytes of a client are not in memory any more.
    package mutating func giveBack(_ count: Int, of client: String) {
        taken -= count
        let share = shares[client, default: 0] - count
        shares[client] = share > 0 ? share : nil
    }
}
