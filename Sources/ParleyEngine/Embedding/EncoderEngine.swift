// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyRuntime
import ParleySystem
import ParleyTensor

/// Runs the texts of a step through an encoder. Only its scheduler's thread uses it.
final class EncoderEngine {
    /// The number of rows from which a step is long enough to divide its work into chunks.
    private static let longStep = 32

    private let pool: WorkerPool
    private let power: PowerWatch
    private let current: CurrentStep
    private let throughNetwork: (Lane) -> Void
    private let tokens: UnsafeMutableBufferPointer<Int32>
    private let reservation: MemoryReservation

    /// The data of the current step that the lanes read; it changes only between steps.
    private final class CurrentStep {
        var step: EncoderStep

        init(_ step: EncoderStep) {
            self.step = step
        }
    }

    /// Creates an engine; its scratch memory uses the reservation as steps become larger.
    init(
        network: any Encoder, hyperparameters: Hyperparameters, context: Int, pooling: EmbeddingPooling,
        pool: WorkerPool, power: PowerWatch, reservation: MemoryReservation
    ) throws(AllocationError) {
        let scratch = try EncoderScratch(hyperparameters, context: context)
        self.pool = pool
        self.power = power
        self.reservation = reservation
        tokens = .allocate(capacity: scratch.positions)
        let current = CurrentStep(EncoderStep(scratch: scratch))
        self.current = current
        let rowPooling = RowPooling(pooling)
        throughNetwork = { lane in
            let step = current.step
            network.run(step, on: lane)
            lane.pool(step.hidden, by: rowPooling, sequences: step.texts, into: step.pooled)
        }
    }

    deinit {
        tokens.deallocate()
    }

    /// Runs one step, with texts of all jobs by turns, and gives the jobs their vectors.
    func run(_ jobs: [EmbeddingJob]) {
        var begun = jobs.map(\.begun)
        // There is room for more, but other calls, and those that are cancelled, wait for the end of a step.
        let batch = EncoderBatch(jobs.map(\.lengths), begun: &begun, positions: EncoderScratch.usualPositions)
        for (job, count) in zip(jobs, begun) { job.begun = count }
        var count = 0
        for entry in batch.entries {
            for token in jobs[entry.job].texts[entry.text] {
                tokens[count] = token
                count += 1
            }
        }
        current.step.tokens = UnsafeBufferPointer(rebasing: tokens[..<count])
        current.step.texts = batch.rows
        // A text is never divided, so that only the threads can be fewer.
        pool.limit(lanes: power.limits().threads)
        pool.run(isLong: count >= Self.longStep, throughNetwork)
        let pooled = current.step.pooled
        for (row, entry) in batch.entries.enumerated() {
            jobs[entry.job].append(UnsafeBufferPointer(start: pooled.row(row), count: pooled.width))
        }
        reservation.reached(count, of: current.step.scratch.positions)
    }
}

extension RowPooling {
    fileprivate init(_ pooling: EmbeddingPooling) {
        switch pooling {
        case .mean: self = .mean
        case .first: self = .first
        case .last: self = .last
        }
    }
}
