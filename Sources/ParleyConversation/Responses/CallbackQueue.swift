// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs the callbacks of one reply, one after the other, on a thread of their own, so that one that is slow or waits
/// delays no other reply.
final class CallbackQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "parley.callbacks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
