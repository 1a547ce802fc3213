// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The room that the body of one request has, and what has been read of it; it is given back at the latest when nobody
/// holds the claim any more.
final class BodyClaim: Sendable {
    private let state: ServerState
    private let client: String
    /// No other lock is taken while this one is held.
    private let taken = Mutex(0)

    init(of client: String, in state: ServerState) {
        (self.client, self.state) = (client, state)
    }

    deinit { giveBack() }

    /// Takes room for bytes that are going to be read.
    ///
    /// - Throws: ``ServerError`` with status 429 or 503 if there is none.
    func take(_ count: Int) throws(ServerError) {
        try state.takeRoom(count, of: client)
        taken.withLock { $0 += count }
    }

    /// Gives the room back.
    func giveBack() {
        let count = taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
        if count > 0 { state.giveBackRoom(count, of: client) }
    }
}
