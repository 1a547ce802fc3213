// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
package import ParleyRuntime
import ParleySystem
import ParleyTensor

/// Runs the tokens of a step through the network and the language head.
///
/// The closures that the lanes execute, and the arrays they read, are created once, so that a step allocates nothing.
package final class NativeEngine: StepEngine {
    /// The number of rows from which a step is long enough to divide its work into chunks.
    private static let longStep = 32

    package var mostRows: Int { power.limits().rows }

    private let pool: WorkerPool
    private let power: PowerWatch
    private let current: CurrentStep
    private let throughNetwork: (Lane) -> Void
    private let throughHead: (Lane) -> Void
    private let tokens: UnsafeMutableBufferPointer<Int32>
    private let selection: UnsafeMutableBufferPointer<Int32>
    private let destinations: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
    private let reservation: MemoryReservation
    private var batch = StepBatch<NativeSequence>()

    /// Creates an engine; its scratch memory uses the reservation as steps become larger.
    init(
        network: any Architecture, hyperparameters: Hyperparameters, pool: WorkerPool, power: PowerWatch,
        reservation: MemoryReservation
    ) throws(AllocationError) {
        let scratch = try StepScratch(hyperparameters, lanes: pool.laneCount)
        self.pool = pool
        self.power = power
        self.reservation = reservation
        tokens = .allocate(capacity: StepScratch.rows)
        selection = .allocate(capacity: StepScratch.logitRows)
        destinations = .allocate(capacity: StepScratch.logitRows)
        let current = CurrentStep(ModelStep(scratch: scratch), logits: scratch.logits(0))
        self.current = current
        throughNetwork = { network.run(current.step, on: $0) }
        let head = network.head
        throughHead = { lane in
            let selected = scratch.selected(current.selection.count, lane: lane.index)
            lane.gather(current.selection, from: current.step.finalHidden, into: selected)
            head.run(selected, into: current.logits, quantized: scratch.quantized, on: lane)
            lane.copy(current.logits, into: current.destinations)
        }
    }

    deinit {
        tokens.deallocate()
        selection.deallocate()
        destinations.deallocate()
    }

    /// The data of the current step that the lanes read; it changes only between steps.
    private final class CurrentStep {
        var step: ModelStep
        /// The rows whose logits are computed.
        var selection = UnsafeBufferPointer<Int32>(start: nil, count: 0)
        var logits: FloatRows
        /// Where each row of the logits is copied; empty if they are computed where they are wanted.
        var destinations = UnsafeBufferPointer<UnsafeMutablePointer<Float>>(start: nil, count: 0)

        init(_ step: ModelStep, logits: FloatRows) {
            self.step = step
            self.logits = logits
        }
    }

    package func run(_ jobs: [StepJob<NativeSequence>], shares: [Int]) {
        for (job, count) in zip(jobs, shares) { batch.append(count, of: job) }
        for part in batch.parts {
            for (token, row) in zip(part.tokens, part.rows) { tokens[row] = token }
            current.step.sequences.append(SequenceRows(rows: part.rows, position: part.job.heldCount))
            current.step.caches.append(part.job.sequence.cache)
        }
        current.step.tokens = UnsafeBufferPointer(rebasing: tokens[..<batch.rowCount])
        pool.limit(lanes: power.limits().threads)
        pool.run(isLong: batch.rowCount >= Self.longStep, throughNetwork)
        for start in stride(from: 0, to: batch.outputs.count, by: StepScratch.logitRows) {
            runHead(for: batch.outputs[start..<min(start + StepScratch.logitRows, batch.outputs.count)])
        }
        reservation.reached(batch.rowCount, of: StepScratch.rows)
        for part in batch.parts { part.job.advance(by: part.rows.count) }
        current.step.sequences.removeAll(keepingCapacity: true)
        current.step.caches.removeAll(keepingCapacity: true)
        batch.removeAll()
    }

    /// Computes the logits of up to `StepScratch.logitRows` rows in one pass.
    private func runHead(for outputs: ArraySlice<StepBatch<NativeSequence>.Output>) {
        guard let first = outputs.first else { return }
        for (index, output) in outputs.enumerated() { selection[index] = Int32(output.row) }
        current.selection = UnsafeBufferPointer(rebasing: selection[..<outputs.count])
        // The rows of one job are contiguous in its logits, so they are written there directly.
        let direct = outputs.allSatisfy { $0.logits === first.logits }
        current.logits =
            direct ? first.destination(rows: outputs.count) : current.step.scratch.logits(outputs.count)
        for (index, output) in outputs.enumerated() { destinations[index] = output.destination(rows: 1).pointer }
        current.destinations = UnsafeBufferPointer(rebasing: destinations[..<(direct ? 0 : outputs.count)])
        pool.run(throughHead)
    }
}

extension StepBatch.Output {
    /// The memory of this row and the following ones in the job's logits.
    fileprivate func destination(rows: Int) -> FloatRows {
        FloatRows(
            pointer: logits[outputRow].baseAddress.unsafelyUnwrapped, count: rows, width: logits.vocabularySize)
    }
}
