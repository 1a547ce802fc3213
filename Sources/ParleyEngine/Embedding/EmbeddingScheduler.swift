// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleySystem
import Synchronization

/// Runs the steps of an encoder on its own thread, and merges the texts of concurrent calls into them.
///
/// `@unchecked Sendable`: everything except the inbox and the atomics is used only by the thread that calls ``work()``.
final class EmbeddingScheduler: @unchecked Sendable {
    private struct Inbox {
        var jobs: [EmbeddingJob] = []
        /// Whether the thread has ended, so that nothing more is taken from the inbox.
        var isClosed = false
    }

    /// Reports when the engine has been freed.
    let lifetime = ModelLifetime()

    /// Released by the thread when it ends.
    private var engine: EncoderEngine?
    /// No other lock is taken while this one is held.
    private let inbox = Mutex(Inbox())
    private let hasArrived = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let sleeper = Sleeper()
    /// The unfinished jobs, the one that has waited longest first.
    private var active: [EmbeddingJob] = []

    /// Creates a scheduler for an engine, from now on used only by the thread that calls ``work()``.
    init(_ engine: EncoderEngine) {
        self.engine = engine
    }

    /// Runs steps until ``stop()`` is called, and then releases the engine.
    func work() {
        while !stopping.load(ordering: .sequentiallyConsistent) {
            takeArrived()
            active.removeAll { job in
                guard job.cancellation.isSet else { return false }
                job.finish(CancellationError())
                return true
            }
            if active.isEmpty {
                sleeper.wait {
                    hasArrived.load(ordering: .sequentiallyConsistent)
                        || stopping.load(ordering: .sequentiallyConsistent)
                }
                continue
            }
            engine?.run(active)
            active.removeAll { job in
                if job.isDone { job.finish() }
                return job.isDone
            }
            // The next step begins with another job, so that a short one is not kept waiting by the texts of a long one.
            if active.count > 1 { active.append(active.removeFirst()) }
        }
        close()
        engine = nil
        lifetime.end()
    }

    /// Ends the thread after its current step; waiting jobs fail with `CancellationError`.
    func stop() {
        lifetime.begin()
        stopping.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    /// Returns the vectors of a job's texts, which are not empty and fit into the context.
    ///
    /// - Throws: `CancellationError`.
    func run(_ job: EmbeddingJob) async throws -> [[Float]] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.begin(continuation)
                let isTaken = inbox.withLock { inbox in
                    if !inbox.isClosed { inbox.jobs.append(job) }
                    return !inbox.isClosed
                }
                guard isTaken else { return job.finish(CancellationError()) }
                wake()
            }
        } onCancel: {
            job.cancellation.set()
            wake()
        }
    }

    private func wake() {
        hasArrived.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    private func takeArrived() {
        guard hasArrived.exchange(false, ordering: .sequentiallyConsistent) else { return }
        active += inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
    }

    private func close() {
        let left = inbox.withLock { inbox in
            defer { inbox = Inbox(isClosed: true) }
            return inbox.jobs
        }
        for job in active + left { job.finish(CancellationError()) }
        active = []
    }
}
