// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Runs what a task does on the event loop of its connection, so that between the engine's thread and the socket a token
/// changes threads once.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
