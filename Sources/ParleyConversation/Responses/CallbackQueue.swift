// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs the callbacks of one reply one after another on a queue of its own, so that a slow callback delays no other
/// reply.
final class CallbackQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "parley.callbacks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
