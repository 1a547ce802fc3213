// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTensor
import Synchronization

/// Runs the steps of all timelines of one model on the model's own threads, merging what waits into one batch.
///
/// `@unchecked Sendable`: everything but the inbox belongs to the scheduler's thread once it has started.
final class BatchScheduler: @unchecked Sendable {
    private let network: any Architecture
    private let pool: WorkerPool
    private let scratch: StepScratch
    private let tokens: UnsafeMutableBufferPointer<Int32>
    private let selection: UnsafeMutableBufferPointer<Int32>
    private let inbox = Mutex<[StepJob]>([])
    private let waiting = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    /// Without spinning: while the engine waits, whoever samples the next token needs the core.
    private let sleeper = Sleeper(spins: 0)
    private var active: [StepJob] = []

    init(network: any Architecture, hyperparameters: Hyperparameters, pool: WorkerPool) {
        self.network = network
        self.pool = pool
        scratch = StepScratch(hyperparameters, lanes: pool.laneCount)
        tokens = .allocate(capacity: StepScratch.rows)
        selection = .allocate(capacity: StepScratch.logitRows)
    }

    deinit {
        tokens.deallocate()
        selection.deallocate()
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

    /// Queues a job; its continuation is resumed when it is done.
    func submit(_ job: StepJob) {
        inbox.withLock { $0.append(job) }
        waiting.add(1, ordering: .sequentiallyConsistent)
        sleeper.wake()
    }

    private func loop() {
        while true {
            if active.isEmpty {
                sleeper.wait {
                    waiting.load(ordering: .sequentiallyConsistent) > 0
                        || stopping.load(ordering: .sequentiallyConsistent)
                }
            }
            let arrived = inbox.withLock { jobs in
                defer { jobs.removeAll(keepingCapacity: true) }
                return jobs
            }
            waiting.subtract(arrived.count, ordering: .sequentiallyConsistent)
            active.append(contentsOf: arrived)
            if stopping.load(ordering: .sequentiallyConsistent) {
                finish(active) { _ in .failure(CancellationError()) }
                return
            }
            finish(active.filter(\.isCancelled)) { _ in .failure(CancellationError()) }
            runStep()
            finish(active.filter { $0.remaining == 0 }) { _ in .success(()) }
        }
    }

    private func finish(_ jobs: [StepJob], _ result: (StepJob) -> Result<Void, any Error>) {
        guard !jobs.isEmpty else { return }
        active.removeAll { job in jobs.contains { $0 === job } }
        for job in jobs { job.continuation.resume(with: result(job)) }
    }

    private func runStep() {
        guard !active.isEmpty else { return }
        let batch = Batch(active, limit: StepScratch.rows)
        for part in batch.parts {
            for (token, row) in zip(part.tokens, part.rows) { tokens[row] = part.job.tokens[token] }
        }
        let step = ModelStep(
            tokens: UnsafeBufferPointer(rebasing: tokens[..<batch.rowCount]), sequences: batch.sequences,
            caches: batch.parts.map(\.job.timeline.cache), scratch: scratch)
        pool.run { network.run(step, on: $0) }
        runHead(batch.outputs, step)
        for part in batch.parts {
            part.job.timeline.append(part.job.tokens[part.tokens])
            part.job.done = part.tokens.upperBound
        }
    }

    /// Computes the logits asked for, some rows at a time.
    private func runHead(_ outputs: [Batch.Output], _ step: ModelStep) {
        let head = network.head
        for start in stride(from: 0, to: outputs.count, by: StepScratch.logitRows) {
            let group = outputs[start..<min(start + StepScratch.logitRows, outputs.count)]
            for (index, output) in group.enumerated() { selection[index] = Int32(output.row) }
            let rows = UnsafeBufferPointer(rebasing: selection[..<group.count])
            // Rows of one job stand side by side in its output, and are written there at once.
            let direct = group.allSatisfy { $0.job === outputs[start].job }
            let logits = direct ? outputs[start].destination(rows: group.count) : scratch.logits(group.count)
            pool.run { lane in
                let selected = scratch.selected(group.count, lane)
                lane.gather(rows, from: step.hidden(on: lane), into: selected)
                head.run(selected, into: logits, quantized: scratch.quantized, on: lane)
            }
            guard !direct else { continue }
            for (index, output) in group.enumerated() {
                output.destination(rows: 1).pointer.update(from: logits.row(index), count: logits.width)
            }
        }
    }
}

extension Batch.Output {
    /// The job's logits from this row on.
    fileprivate func destination(rows: Int) -> FloatRows {
        let first = job.output[outputRow]
        return FloatRows(
            pointer: first.baseAddress.unsafelyUnwrapped, count: rows, width: job.output.vocabularySize)
    }
}
