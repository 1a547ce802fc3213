// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The end of a loaded model: whether its last reference has gone, and whether its engine has freed all memory.
///
/// An engine frees memory on a thread of its own, after the last reference to the model has gone. Code that needs the
/// memory for another model waits here.
public final class ModelLifetime: Sendable {
    private struct State {
        var isEnding = false
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// No other lock is taken inside this one: continuations are resumed after it is released.
    private let state = Mutex(State())

    /// Creates the lifetime of a loaded model.
    public init() {}

    /// Whether the last reference to the model has gone.
    public var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Called by the model when its last reference has gone.
    public func begin() {
        state.withLock { $0.isEnding = true }
    }

    /// Called by the engine when it has freed everything.
    public func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the engine of a model that is gone has freed everything; at once where the model or one of its
    /// timelines is still referenced, whose memory stays.
    public func waitUntilFreed() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                let waits = state.isEnding && !state.hasEnded
                if waits { state.waiting.append(continuation) }
                return waits
            }
            if !waits { continuation.resume() }
        }
    }
}
