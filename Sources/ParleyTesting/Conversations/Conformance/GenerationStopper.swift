// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// Stops a generation whose handler may come later than the wish to stop it.
final class GenerationStopper: Sendable {
    private struct State {
        var handler: (any GenerationHandler)?
        var wish: ContinuousClock.Instant?
    }

    /// A leaf lock: the handler is called after it is released.
    private let state = Mutex(State())

    func take(_ handler: (any GenerationHandler)?) {
        let isWished = state.withLock { state in
            state.handler = handler
            return state.wish != nil
        }
        if isWished { handler?.stop() }
    }

    func stop() {
        let handler = state.withLock { state in
            state.wish = state.wish ?? .now
            return state.handler
        }
        handler?.stop()
    }

    /// How long ago the wish was.
    var latency: Duration? { state.withLock { $0.wish.map { .now - $0 } } }
}
