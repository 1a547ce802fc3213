// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// The tokens of all jobs that run in the next step; it is refilled for every step and keeps its memory.
package struct StepBatch<Sequence: EngineSequence> {
    /// Consecutive tokens of one job.
    package struct Part {
        package let job: StepJob<Sequence>
        /// The positions of the tokens in the job's input.
        package let positions: Range<Int>
        /// The indices of the rows in the step.
        package let rows: Range<Int>

        package var tokens: ArraySlice<TokenID> { job.input.tokens(at: positions) }
    }

    /// A row whose logits are requested.
    package struct Output {
        package let logits: LogitRows
        /// The index of the row in the step.
        package let row: Int
        /// The index of the row in the logits.
        package let outputRow: Int
    }

    package private(set) var parts: [Part] = []
    /// The rows whose logits are requested.
    package private(set) var outputs: [Output] = []
    package private(set) var rowCount = 0

    /// Creates an empty batch.
    package init() {}

    /// Appends the next `count` tokens of a job.
    package mutating func append(_ count: Int, of job: StepJob<Sequence>) {
        guard count > 0 else { return }
        let part = Part(job: job, positions: job.done..<job.done + count, rows: rowCount..<rowCount + count)
        parts.append(part)
        rowCount += count
        for (position, row) in zip(part.positions, part.rows) {
            guard let logits = job.output, let outputRow = job.outputRow(of: position) else { continue }
            outputs.append(Output(logits: logits, row: row, outputRow: outputRow))
        }
    }

    /// Removes all rows and the references to their jobs.
    package mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        outputs.removeAll(keepingCapacity: true)
        rowCount = 0
    }
}
