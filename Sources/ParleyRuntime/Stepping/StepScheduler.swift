// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Runs the steps of all timelines of one model on the model's own thread, merging what waits into one batch.
///
/// As a task executor it runs replies on that thread too: between two steps each chooses its next token there, so that
/// no token waits for another thread to wake, and the next step holds all replies.
///
/// `@unchecked Sendable`: everything but the inbox belongs to the thread that calls ``work()``.
package final class StepScheduler<Engine: StepEngine>: TaskExecutor, @unchecked Sendable {
    package typealias Job = StepJob<Engine.Sequence>

    /// What arrives from other threads.
    private struct Inbox {
        var jobs: [Job] = []
        /// Parts of tasks that are ready to run.
        var tasks: [UnownedJob] = []
        /// Whether nobody will look any more.
        var isClosed = false
    }

    /// Tells when the engine has been freed.
    package let lifetime = ModelLifetime()

    /// Freed by the thread when it ends.
    private var engine: Engine?
    /// Told that a job has been cancelled, on any thread.
    private let interrupt: @Sendable () -> Void
    /// A leaf lock.
    private let inbox = Mutex(Inbox())
    private let hasArrived = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let sleeper = Sleeper()
    /// The jobs that are not done, in order of arrival.
    private var active: [Job] = []
    /// The jobs and tasks being taken in; kept for their memory.
    private var arrived: [Job] = []
    private var tasks: [UnownedJob] = []
    private var shares: [Int] = []
    private var policy: RowShares

    /// Creates a scheduler for an engine.
    ///
    /// - Parameters:
    ///   - engine: used from now on by the thread that calls ``work()`` alone.
    ///   - interrupt: called on any thread when a job has been cancelled, so that the engine may end a step early.
    package init(_ engine: Engine, interrupt: @escaping @Sendable () -> Void = {}) {
        self.engine = engine
        self.interrupt = interrupt
        policy = RowShares(most: engine.mostRows)
    }

    /// Works until ``stop()``, and then frees the engine.
    func work() {
        while !stopping.load(ordering: .sequentiallyConsistent) {
            finish { $0.cancellation.isSet ? cancelled : nil }
            takeArrived()
            if active.isEmpty {
                wait()
            } else {
                runStep()
                finish { job in
                    if let failure = job.failure { return .failure(failure) }
                    return job.remaining == 0 ? .success(()) : nil
                }
            }
        }
        close()
        engine = nil
        lifetime.end()
    }

    /// Called when the last reference to the model has gone: ends the thread after the step it is in. Jobs that wait
    /// throw.
    package func stop() {
        lifetime.begin()
        stopping.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    /// Runs a step; returns when all of its tokens have been run.
    ///
    /// - Throws: `CancellationError`, or why the engine could not run it.
    func run(_ job: Job) async throws {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                job.begin(continuation)
                inbox.withLock { $0.jobs.append(job) }
                wake()
            }
        } onCancel: {
            job.cancellation.set()
            interrupt()
        }
    }

    /// Queues a part of a task; once the thread has ended, it goes where tasks without a preference do.
    package func enqueue(_ task: consuming ExecutorJob) {
        let task = UnownedJob(task)
        let isTaken = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.tasks.append(task) }
            return !inbox.isClosed
        }
        if isTaken { wake() } else { globalConcurrentExecutor.enqueue(task) }
    }

    /// Makes the thread look at what has arrived, and the engine tidy up.
    package func wake() {
        hasArrived.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
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
        for _ in 0..<mostRounds where hasArrived.exchange(false, ordering: .sequentiallyConsistent) {
            inbox.withLock { inbox in
                swap(&arrived, &inbox.jobs)
                swap(&tasks, &inbox.tasks)
            }
            engine?.tidy()
            for job in arrived { accept(job) }
            arrived.removeAll(keepingCapacity: true)
            for task in tasks { task.runSynchronously(on: asUnownedTaskExecutor()) }
            tasks.removeAll(keepingCapacity: true)
            finish { $0.cancellation.isSet ? cancelled : nil }
        }
    }

    private func accept(_ job: Job) {
        do {
            try engine?.accept(job)
            active.append(job)
        } catch {
            job.finish(.failure(error))
        }
    }

    private func runStep() {
        shares.removeAll(keepingCapacity: true)
        for job in active { shares.append(engine?.rows(of: job) ?? 0) }
        policy.decide(&shares)
        engine?.run(active, shares: shares)
    }

    /// Ends the jobs for which there is a result.
    private func finish(_ result: (Job) -> Result<Void, any Error>?) {
        // Without `removeAll(where:)`, which allocates where it is not specialised.
        var kept = 0
        for index in 0..<active.count {
            // A job that has ended may come back, on another thread, before this loop ends: it is asked only once.
            let job = active[index]
            if let result = result(job) {
                job.finish(result)
            } else {
                active[kept] = job
                kept += 1
            }
        }
        active.removeSubrange(kept..<active.count)
    }

    /// Ends what waits; what tasks still have to do, others run.
    private func close() {
        let left = inbox.withLock { inbox in
            defer { inbox = Inbox(isClosed: true) }
            return inbox
        }
        active.append(contentsOf: left.jobs)
        finish { _ in cancelled }
        for task in left.tasks { globalConcurrentExecutor.enqueue(task) }
    }
}

/// Made once, for every step asks for it.
private let cancelled = Result<Void, any Error>.failure(CancellationError())

/// Tasks that never rest must not keep steps from running.
private let mostRounds = 8
