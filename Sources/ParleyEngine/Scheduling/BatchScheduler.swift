// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleySystem
import Synchronization

/// Runs the steps of all timelines of one model on the model's own thread, merging what waits into one batch.
///
/// As a task executor it runs replies on that thread too: between two steps each chooses its next token there, so that
/// no token waits for another thread to wake, and the next step holds all replies.
///
/// `@unchecked Sendable`: everything but the inbox belongs to the scheduler's thread once it has started.
final class BatchScheduler: TaskExecutor, @unchecked Sendable {
    /// What arrives from other threads.
    private struct Inbox {
        var jobs: [StepJob] = []
        /// Parts of tasks that are ready to run.
        var tasks: [UnownedJob] = []
        /// Whether nobody will look any more.
        var isClosed = false
    }

    /// Freed by the thread when it ends.
    private var runner: BatchRunner?
    private let lifetime: ModelLifetime
    /// A leaf lock.
    private let inbox = Mutex(Inbox())
    private let hasArrived = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let sleeper = Sleeper()
    /// Made once, for every step asks for it.
    private static let cancelled = Result<Void, any Error>.failure(CancellationError())
    /// Tasks that never rest must not keep steps from running.
    private static let rounds = 8
    /// The jobs that are not done, in order of arrival.
    private var active: [StepJob] = []
    /// The tasks being run; kept for its memory.
    private var tasks: [UnownedJob] = []
    private var shares: [Int] = []
    private var policy = RowShares()
    private var batch = Batch()

    /// Creates a scheduler, which tells `lifetime` when the runner has been freed.
    init(_ runner: BatchRunner, lifetime: ModelLifetime) {
        self.runner = runner
        self.lifetime = lifetime
    }

    /// Starts the thread; it lives until ``stop()``.
    ///
    /// - Throws: ``RuntimeError`` where the system has no thread to give.
    func start() throws {
        guard startThread({ self.loop() }) else {
            throw RuntimeError(
                .engineFailed, "The system gave the engine no thread. Close other programs and try again.")
        }
    }

    /// Ends the thread after the step it is in; jobs that wait throw.
    func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    /// Queues a job, which ends when all of its tokens have been run.
    func submit(_ job: StepJob) {
        inbox.withLock { $0.jobs.append(job) }
        announce()
    }

    /// Queues a part of a task; once the thread has ended, it goes where tasks without a preference do.
    func enqueue(_ task: consuming ExecutorJob) {
        let task = UnownedJob(task)
        let isTaken = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.tasks.append(task) }
            return !inbox.isClosed
        }
        if isTaken { announce() } else { globalConcurrentExecutor.enqueue(task) }
    }

    private func announce() {
        hasArrived.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    private func loop() {
        while !stopping.load(ordering: .sequentiallyConsistent) {
            finish(Self.cancelled) { $0.cancellation.isSet }
            takeArrived()
            if active.isEmpty {
                wait()
            } else {
                runStep()
                finish(.success(())) { $0.remaining == 0 }
            }
        }
        close()
        batch = Batch()
        runner = nil
        lifetime.end()
    }

    /// Sleeps until something has arrived.
    private func wait() {
        sleeper.wait {
            hasArrived.load(ordering: .sequentiallyConsistent) || stopping.load(ordering: .sequentiallyConsistent)
        }
    }

    /// Takes jobs in, lets go of those that were cancelled, and runs what tasks have to do before their next step.
    ///
    /// What a round begins, the next takes in; after some rounds those that wait for a step come first.
    private func takeArrived() {
        for _ in 0..<Self.rounds where hasArrived.exchange(false, ordering: .sequentiallyConsistent) {
            inbox.withLock { inbox in
                active.append(contentsOf: inbox.jobs)
                inbox.jobs.removeAll(keepingCapacity: true)
                swap(&tasks, &inbox.tasks)
            }
            for task in tasks { task.runSynchronously(on: asUnownedTaskExecutor()) }
            tasks.removeAll(keepingCapacity: true)
            finish(Self.cancelled) { $0.cancellation.isSet }
        }
    }

    /// Ends what waits; what tasks still have to do, others run.
    private func close() {
        let left = inbox.withLock { inbox in
            defer { inbox = Inbox(isClosed: true) }
            return inbox
        }
        active.append(contentsOf: left.jobs)
        finish(Self.cancelled) { _ in true }
        for task in left.tasks { globalConcurrentExecutor.enqueue(task) }
    }

    private func finish(_ result: Result<Void, any Error>, where isFinished: (StepJob) -> Bool) {
        // A job that has ended may come back, on another thread, before this loop ends: it is asked only once.
        active.removeAll { job in
            guard isFinished(job) else { return false }
            job.finish(result)
            return true
        }
    }

    private func runStep() {
        guard !active.isEmpty else { return }
        shares.removeAll(keepingCapacity: true)
        for job in active { shares.append(job.remaining) }
        policy.decide(&shares)
        batch.fill(active, shares: shares)
        runner?.run(batch)
        batch.removeAll()
    }
}
