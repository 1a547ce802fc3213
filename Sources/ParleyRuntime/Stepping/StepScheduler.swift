// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Runs the steps of all timelines of a model on the model's own thread, and merges waiting steps into one batch.
///
/// The scheduler is also a task executor, so that replies run on the same thread: each chooses its next token there
/// between two steps. No token then has to wait for another thread to wake, and the next step contains all replies.
///
/// `@unchecked Sendable`: everything except the inbox and the atomics is used only by the thread that calls ``work()``.
package final class StepScheduler<Engine: StepEngine>: TaskExecutor, @unchecked Sendable {
    package typealias Job = StepJob<Engine.Sequence>

    /// Work that arrives from other threads.
    private struct Inbox {
        var jobs: [Job] = []
        /// Jobs of Swift tasks that are ready to run.
        var tasks: [UnownedJob] = []
        /// Whether the thread has ended, so that nothing more is taken from the inbox.
        var isClosed = false
    }

    /// Reports when the engine has been freed.
    package let lifetime = ModelLifetime()
    /// Counts the steps.
    private let tally = StepTally()

    /// Released by the thread when it ends.
    private var engine: Engine?
    /// Called on any thread when a job has been cancelled.
    private let interrupt: @Sendable () -> Void
    /// No other lock is taken while this one is held.
    private let inbox = Mutex(Inbox())
    private let hasArrived = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let sleeper = Sleeper()
    /// The unfinished jobs, in order of arrival.
    private var active: [Job] = []
    /// The unfinished jobs that copy from other sequences, in order of arrival.
    private var copying: [Job] = []
    /// The jobs and tasks that are being taken from the inbox; stored here to reuse the memory.
    private var arrived: [Job] = []
    private var tasks: [UnownedJob] = []
    private var shares: [Int] = []
    private var claims: [RowShares.Claim] = []
    private var policy: RowShares
    /// The bits of what ``guessCost`` returns; NaN for nil.
    private let cost = Atomic<UInt64>(Double.nan.bitPattern)

    /// The steps so far.
    package var figures: StepFigures { tally.figures }

    /// The part of the time of a reply's token that a further row takes, beside the replies of now; nil while that is not
    /// known. May be read on any thread.
    package var guessCost: Double? {
        let cost = Double(bitPattern: cost.load(ordering: .relaxed))
        return cost.isNaN ? nil : cost
    }

    /// Creates a scheduler for an engine.
    ///
    /// - Parameters:
    ///   - engine: from now on used only by the thread that calls ``work()``.
    ///   - interrupt: called on any thread when a job has been cancelled, so that the engine may end a step early.
    package init(_ engine: Engine, interrupt: @escaping @Sendable () -> Void = {}) {
        self.engine = engine
        self.interrupt = interrupt
        policy = RowShares(most: engine.mostRows)
    }

    /// Runs steps until ``stop()`` is called, and then releases the engine.
    func work() {
        while !stopping.load(ordering: .sequentiallyConsistent) {
            finishCancelled()
            takeArrived()
            copyPieces()
            if active.isEmpty {
                if copying.isEmpty { wait() }
            } else {
                runStep()
                Self.finish(&active) { job in
                    if let failure = job.failure { return .failure(failure) }
                    return job.remaining == 0 ? .success(()) : nil
                }
            }
        }
        close()
        engine = nil
        lifetime.end()
    }

    /// Ends the thread after its current step; waiting jobs fail with `CancellationError`.
    ///
    /// Called when the last reference to the model is released.
    package func stop() {
        lifetime.begin()
        stopping.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    /// Runs a step and returns when all of its tokens have been run.
    ///
    /// - Throws: `CancellationError`, or the error because of which the engine could not run the step.
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

    /// Queues a job of a Swift task; once the thread has ended, the job goes to the global executor instead.
    package func enqueue(_ task: consuming ExecutorJob) {
        let task = UnownedJob(task)
        let isTaken = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.tasks.append(task) }
            return !inbox.isClosed
        }
        if isTaken { wake() } else { globalConcurrentExecutor.enqueue(task) }
    }

    /// Wakes the thread, so that it takes new work and the engine frees what is no longer needed.
    package func wake() {
        hasArrived.store(true, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    /// Sleeps until work arrives or the scheduler is stopped.
    private func wait() {
        sleeper.wait {
            hasArrived.load(ordering: .sequentiallyConsistent) || stopping.load(ordering: .sequentiallyConsistent)
        }
    }

    /// Accepts new jobs, ends cancelled ones, and runs the tasks that are ready.
    ///
    /// Tasks may submit new jobs and tasks, which the next round takes. The number of rounds is limited, so that
    /// waiting steps are not delayed indefinitely.
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
            finishCancelled()
        }
    }

    private func accept(_ job: Job) {
        guard !job.isCopy else { return copying.append(job) }
        do {
            try engine?.accept(job)
            active.append(job)
        } catch {
            job.finish(.failure(error))
        }
    }

    /// Copies between sequences, not so much that replies are delayed noticeably.
    private func copyPieces() {
        guard !copying.isEmpty else { return }
        var budget = mostCopied
        Self.finish(&copying) { job in
            budget > 0 && job.copyPiece(within: &budget) ? .success(()) : nil
        }
    }

    private func runStep() {
        shares.removeAll(keepingCapacity: true)
        claims.removeAll(keepingCapacity: true)
        for job in active {
            shares.append(engine?.rows(of: job) ?? 0)
            claims.append(.init(client: job.client, following: job.following, since: job.since))
        }
        if let engine { policy.most = engine.mostRows }
        let began = ContinuousClock.now
        policy.decide(&shares, claims, now: began)
        // By index: the iterator of two sequences allocates.
        for index in active.indices where shares[index] > 0 { active[index].served(at: began) }
        engine?.run(active, shares: shares)
        let (rows, time) = (shares.reduce(0, +), began.duration(to: .now))
        tally.add(rows: rows, time: time)
        policy.note(rows: rows, time: time)
        cost.store((policy.pace.cost(replies: policy.replies) ?? .nan).bitPattern, ordering: .relaxed)
    }

    private func finishCancelled() {
        Self.finish(&active) { $0.cancellation.isSet ? cancelled : nil }
        Self.finish(&copying) { $0.cancellation.isSet ? cancelled : nil }
    }

    /// Ends the jobs for which `result` returns a value.
    private static func finish(_ active: inout [Job], _ result: (Job) -> Result<Void, any Error>?) {
        // `removeAll(where:)` is not used because it allocates if it is not specialised.
        var kept = 0
        for index in 0..<active.count {
            // A job that has ended may be submitted again on another thread before this loop ends, so it is read only
            // once.
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

    /// Ends the waiting jobs, and passes the remaining tasks to the global executor.
    private func close() {
        let left = inbox.withLock { inbox in
            defer { inbox = Inbox(isClosed: true) }
            return inbox
        }
        active.append(contentsOf: copying)
        active.append(contentsOf: left.jobs)
        copying.removeAll()
        Self.finish(&active) { _ in cancelled }
        for task in left.tasks { globalConcurrentExecutor.enqueue(task) }
    }
}

/// Created once, because every step needs it.
private let cancelled = Result<Void, any Error>.failure(CancellationError())

/// The limit on rounds, so that tasks which keep queuing new work cannot prevent steps from running.
private let mostRounds = 8

/// The most bytes that are copied between two steps: 16 MiB, which takes a few milliseconds.
private let mostCopied = 16 << 20
