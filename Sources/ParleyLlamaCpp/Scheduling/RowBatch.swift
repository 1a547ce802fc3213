// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp

    /// Which tokens of which jobs run in the next step, in the columns that llama.cpp takes.
    struct RowBatch {
        /// Consecutive tokens of one job.
        struct Part {
            let job: LlamaCppJob
            /// In the job's tokens.
            let tokens: Range<Int>
        }

        /// A row whose logits are asked for.
        struct Output {
            let job: LlamaCppJob
            /// In the batch.
            let row: Int
            /// In the job's logits.
            let outputRow: Int
        }

        /// The most rows of a batch.
        static let limit = Int(PARLEY_LLAMA_ROWS)

        private(set) var parts: [Part] = []
        private(set) var outputs: [Output] = []
        private(set) var tokens: [Int32] = []
        private(set) var positions: [Int32] = []
        private(set) var sequences: [Int32] = []
        private(set) var wanted: [Int8] = []

        var rowCount: Int { tokens.count }

        /// Takes rows from each job, those with the fewest left first, so that replies go on while prompts are read.
        ///
        /// A job's tokens are taken up to its next image.
        init(_ jobs: [LlamaCppJob]) {
            for job in jobs.sorted(by: { $0.remaining < $1.remaining }) where rowCount < Self.limit {
                let count = min(job.remainingText, Self.limit - rowCount)
                guard count > 0 else { continue }
                let range = job.done..<job.done + count
                parts.append(Part(job: job, tokens: range))
                for token in range { append(token, of: job) }
            }
        }

        private mutating func append(_ token: Int, of job: LlamaCppJob) {
            let row = job.outputRow(of: token)
            if let row { outputs.append(Output(job: job, row: rowCount, outputRow: row)) }
            positions.append(Int32(job.timeline.position + token - job.done))
            sequences.append(Int32(job.timeline.place.sequence))
            wanted.append(row == nil ? 0 : 1)
            tokens.append(job.tokens[token])
        }
    }
#endif
