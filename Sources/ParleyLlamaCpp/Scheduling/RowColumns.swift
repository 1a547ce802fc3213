// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyRuntime

    /// The rows of a batch as separate arrays, which llama.cpp requires.
    struct RowColumns {
        private(set) var tokens: [Int32] = []
        private(set) var positions: [Int32] = []
        private(set) var sequences: [Int32] = []
        private(set) var wanted: [Int8] = []

        init(_ batch: StepBatch<LlamaCppSequence>) {
            wanted = Array(repeating: 0, count: batch.rowCount)
            for output in batch.outputs { wanted[output.row] = 1 }
            for part in batch.parts {
                tokens += part.tokens
                let position = part.job.position
                positions += part.rows.map { Int32(position + $0 - part.rows.lowerBound) }
                sequences += part.rows.map { _ in Int32(part.job.sequence.place.sequence) }
            }
        }
    }
#endif
