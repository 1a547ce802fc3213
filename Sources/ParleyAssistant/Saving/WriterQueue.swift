// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The thread of one writer: files are read and written there, never on a thread that tasks share.
final class WriterQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "parley.chats")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Runs code there and waits for its end.
    func wait(_ body: () -> Void) { queue.sync(execute: body) }

    /// Runs code there, now or after a time.
    func run(after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return queue.async(execute: body) }
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }
}
