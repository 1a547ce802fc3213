// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Where the callbacks of one reply run, one after the other: on a thread of their own, so that one that takes its time
/// or waits for something holds up nobody else's.
final class CallbackQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "parley.callbacks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
