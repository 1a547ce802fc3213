// SPDX-License-Identifier: Apache-2.0

/// Which tokens of which jobs run in the next step. It is filled anew for every step, in the memory it has.
package struct StepBatch<Sequence: EngineSequence> {
    /// Consecutive tokens of one job.
    package struct Part {
        package let job: StepJob<Sequence>
        /// In the job's tokens.
        package let tokens: Range<Int>
        /// In the step.
        package let rows: Range<Int>
    }

    /// A row whose logits are asked for.
    package struct Output {
        package let logits: LogitRows
        /// In the step.
        package let row: Int
        /// In the logits.
        package let outputRow: Int
    }

    package private(set) var parts: [Part] = []
    /// The rows whose logits are asked for.
    package private(set) var outputs: [Output] = []
    package private(set) var rowCount = 0

    /// Creates an empty batch.
    package init() {}

    /// Takes so many of the next tokens of a job.
    package mutating func append(_ count: Int, of job: StepJob<Sequence>) {
        guard count > 0 else { return }
        let part = Part(job: job, tokens: job.done..<job.done + count, rows: rowCount..<rowCount + count)
        parts.append(part)
        rowCount += count
        for (token, row) in zip(part.tokens, part.rows) {
            guard let logits = job.output, let outputRow = job.outputRow(of: token) else { continue }
            outputs.append(Output(logits: logits, row: row, outputRow: outputRow))
        }
    }

    /// Lets go of the jobs.
    package mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        outputs.removeAll(keepingCapacity: true)
        rowCount = 0
    }
}
