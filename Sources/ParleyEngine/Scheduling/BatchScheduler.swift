// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyRuntime
import ParleyTensor
import Synchronization

/// Runs the steps of all timelines of one model on the model's own threads, merging what waits into one batch.
///
/// `@unchecked Sendable`: everything but the inbox belongs to the scheduler's thread once it has started.
final class BatchScheduler: @unchecked Sendable {
    private let runner: BatchRunner
    private let inbox = Mutex<[StepJob]>([])
    private let waiting = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    /// Without spinning: while the engine waits, whoever samples the next token needs the core.
    private let sleeper = Sleeper(spins: 0)
    /// Made once, for every step asks for it.
    private static let cancelled = Result<Void, any Error>.failure(CancellationError())
    /// How long a reply that was answered is waited for: choosing a token takes tens of microseconds.
    private static let moment = DispatchTimeInterval.microseconds(500)
    /// The jobs that are not done, in order of arrival.
    private var active: [StepJob] = []
    /// The number of steps so far.
    private var step = 0
    /// How many replies were answered after the last step and are expected back.
    private var returning = 0
    private var shares: [Int] = []
    private var policy = RowShares()
    private var batch = Batch()

    init(_ runner: BatchRunner) {
        self.runner = runner
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
        inbox.withLock { $0.append(job) }
        waiting.add(1, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    private func loop() {
        while true {
            waitForReplies()
            if active.isEmpty { wait(for: 1) }
            takeArrived()
            if stopping.load(ordering: .sequentiallyConsistent) {
                finish(Self.cancelled) { _ in true }
                return
            }
            finish(Self.cancelled) { $0.cancellation.isSet }
            runStep()
            finish(.success(())) { $0.remaining == 0 }
        }
    }

    /// Gives replies that were answered a moment to come back with their next tokens, where others would run meanwhile:
    /// together they take little longer than one. Only those are waited for that came back in time before.
    private func waitForReplies() {
        guard returning > 1 || (returning == 1 && !active.isEmpty) else { return }
        wait(for: returning, deadline: .now() + Self.moment)
    }

    /// Sleeps until so many jobs have arrived.
    private func wait(for count: Int, deadline: DispatchTime = .distantFuture) {
        sleeper.wait(
            until: {
                waiting.load(ordering: .sequentiallyConsistent) >= count
                    || stopping.load(ordering: .sequentiallyConsistent)
            }, deadline: deadline)
    }

    private func takeArrived() {
        let known = active.count
        inbox.withLock { jobs in
            active.append(contentsOf: jobs)
            jobs.removeAll(keepingCapacity: true)
        }
        waiting.subtract(active.count - known, ordering: .sequentiallyConsistent)
        for job in active[known...] { job.returnsSoon = job.lastStep == step }
        returning = 0
    }

    private func finish(_ result: Result<Void, any Error>, where isFinished: (StepJob) -> Bool) {
        // A job that has ended may come back, on another thread, before this loop ends: it is asked only once.
        active.removeAll { job in
            guard isFinished(job) else { return false }
            if job.returnsSoon, job.tokens.count <= RowShares.replyTokens { returning += 1 }
            job.lastStep = step
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
        runner.run(batch)
        step += 1
        batch.removeAll()
    }
}
