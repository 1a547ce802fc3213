// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells those who listen what happens to models.
final class ModelEvents: Sendable {
    private struct State {
        var next = 0
        var readers: [Int: AsyncStream<ModelEvent>.Continuation] = [:]
    }

    /// No other lock is taken while this one is held.
    private let state = Mutex(State())

    /// What happens from now on; of a reader that is slow the oldest of 256 events are lost.
    func stream() -> AsyncStream<ModelEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ModelEvent.self, bufferingPolicy: .bufferingNewest(256))
        let number = state.withLock { state in
            state.next += 1
            state.readers[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return stream
    }

    /// Tells an event.
    func send(_ event: ModelEvent) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(event) }
    }
}
