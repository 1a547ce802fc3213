// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends the step that a library is running if the task that waits for it has been cancelled.
package final class RunningStep<Cache: SerialCache>: Sendable {
    private struct Step {
        let cache: Cache
        let cancellation: Cancellation
        var isInterrupted = false
    }

    private let running = Mutex<Step?>(nil)

    /// Creates it without a step.
    package init() {}

    /// Runs a step, which ends early if its job is cancelled, or has been just now.
    package func run(_ cache: Cache, for cancellation: Cancellation, _ body: () throws -> Void) throws {
        running.withLock { $0 = Step(cache: cache, cancellation: cancellation) }
        // When it was cancelled before, there was nothing to interrupt.
        noticeCancellation()
        let outcome = Result(catching: body)
        let isInterrupted = running.withLock { step in
            defer { step = nil }
            return step?.isInterrupted ?? false
        }
        // Even where the step had ended by then, for the next one would not run.
        if isInterrupted { try cache.resume() }
        try outcome.get()
    }

    /// Ends the step if its job is cancelled; may be called on any thread.
    package func noticeCancellation() {
        running.withLock { step in
            guard let cache = step?.cache, step?.cancellation.isSet == true else { return }
            step?.isInterrupted = true
            cache.interrupt()
        }
    }
}
