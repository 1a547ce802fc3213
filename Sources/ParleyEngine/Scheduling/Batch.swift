// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime

/// Which tokens of which jobs run in the next step. It is filled anew for every step, in the memory it has.
struct Batch {
    /// Consecutive tokens of one job.
    struct Part {
        let job: StepJob
        /// In the job's tokens.
        let tokens: Range<Int>
        /// In the step.
        let rows: Range<Int>
    }

    /// A row whose logits are asked for.
    struct Output {
        let logits: LogitRows
        /// In the step.
        let row: Int
        /// In the logits.
        let outputRow: Int
    }

    private(set) var parts: [Part] = []
    /// The rows whose logits are asked for.
    private(set) var outputs: [Output] = []
    private(set) var rowCount = 0

    /// Takes so many tokens of each job.
    mutating func fill(_ jobs: [StepJob], shares: [Int]) {
        for (job, count) in zip(jobs, shares) where count > 0 {
            let part = Part(job: job, tokens: job.done..<job.done + count, rows: rowCount..<rowCount + count)
            parts.append(part)
            rowCount += count
            for (token, row) in zip(part.tokens, part.rows) {
                guard let logits = job.output, let outputRow = job.outputRow(of: token) else { continue }
                outputs.append(Output(logits: logits, row: row, outputRow: outputRow))
            }
        }
    }

    /// Lets go of the jobs.
    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        outputs.removeAll(keepingCapacity: true)
        rowCount = 0
    }
}
