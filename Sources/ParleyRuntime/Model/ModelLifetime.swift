// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tracks the end of a loaded model: the release of its last reference, and the moment its engine has freed all memory.
///
/// An engine frees memory on its own thread after the last reference to the model has been released. Code that needs
/// the memory for another model can wait for that here.
public final class ModelLifetime: Sendable {
    private struct State {
        var isEnding = false
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// No other lock is taken while this one is held: continuations are resumed after its release.
    private let state = Mutex(State())

    /// Creates the lifetime of a loaded model.
    public init() {}

    /// Whether the last reference to the model has been released.
    public var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Called by the model when its last reference is released.
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

    /// Waits until the engine of a released model has freed everything.
    ///
    /// Returns at once if the model or one of its timelines is still referenced, because its memory stays in use.
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
