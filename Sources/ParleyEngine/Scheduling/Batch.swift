// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// Which tokens of which jobs run in the next step.
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
        let job: StepJob
        /// In the step.
        let row: Int
        /// In the job's logits.
        let outputRow: Int
    }

    private(set) var parts: [Part] = []
    private(set) var rowCount = 0

    /// Takes from each job what fits, those with the least left first, so that replies go on while prompts are read.
    init(_ jobs: [StepJob], limit: Int) {
        for job in jobs.sorted(by: { $0.remaining < $1.remaining }) where rowCount < limit {
            let count = min(job.remaining, limit - rowCount)
            parts.append(
                Part(job: job, tokens: job.done..<job.done + count, rows: rowCount..<rowCount + count))
            rowCount += count
        }
    }

    /// Where the rows belong.
    var sequences: [SequenceRows] {
        parts.map { SequenceRows(rows: $0.rows, position: $0.job.timeline.tokens.count) }
    }

    /// The rows whose logits are asked for.
    var outputs: [Output] {
        parts.flatMap { part in
            zip(part.tokens, part.rows).compactMap { token, row in
                part.job.outputRow(of: token).map { Output(job: part.job, row: row, outputRow: $0) }
            }
        }
    }
}
