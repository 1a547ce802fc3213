// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What one request takes of what its client may have at a time: a place among the requests of its key, and room for its
/// body. Both are given back at the latest when nobody holds the claim any more.
final class RequestClaim: Sendable {
    private struct Taken {
        /// Whether the request has a place among those of its key.
        var hasPlace = false
        /// The bytes of its body.
        var bytes = 0
    }

    private let state: ServerState
    private let client: RequestGuard.Client
    /// No other lock is taken while this one is held.
    private let taken = Mutex(Taken())

    init(of client: RequestGuard.Client, in state: ServerState) {
        (self.client, self.state) = (client, state)
    }

    deinit {
        giveBack()
        leave(tokens: 0)
    }

    /// Takes a place among the requests of the client's key; called once, before the body is read: a client could
    /// otherwise send any number of bodies at a time.
    ///
    /// - Throws: ``ServerError`` with code `rate_limit_exceeded` if a limit of the key is reached.
    func enter() throws(ServerError) {
        guard let key = client.key else { return }
        try state.enter(key)
        taken.withLock { $0.hasPlace = true }
    }

    /// Leaves the place, if the request has one; so many tokens were read and generated for it.
    func leave(tokens: Int) {
        let hadPlace = taken.withLock { taken in
            defer { taken.hasPlace = false }
            return taken.hasPlace
        }
        if hadPlace, let key = client.key { state.leave(key, tokens: tokens) }
    }

    /// Takes room for bytes of the body that are going to be read.
    ///
    /// - Throws: ``ServerError`` with status 429 or 503 if there is none.
    func take(_ count: Int) throws(ServerError) {
        try state.takeRoom(count, of: client.identity)
        taken.withLock { $0.bytes += count }
    }

    /// Gives the room of the body back.
    func giveBack() {
        let count = taken.withLock { taken in
            defer { taken.bytes = 0 }
            return taken.bytes
        }
        if count > 0 { state.giveBackRoom(count, of: client.identity) }
    }
}
