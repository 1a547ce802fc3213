// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
package import ParleyTensor

/// The texts that an encoder's next step takes: as many as there is room for, from the jobs by turns, or one that is
/// longer.
///
/// A pure value, so that its rule can be tested without a model.
package struct EncoderBatch {
    /// A text of a step.
    package struct Entry: Hashable {
        /// The index of the job.
        package let job: Int
        /// The index of the text in the job.
        package let text: Int

        package init(job: Int, text: Int) {
            self.job = job
            self.text = text
        }
    }

    /// The texts, in the order of their rows.
    package private(set) var entries: [Entry] = []
    /// The rows of each text, and where its keys and values begin.
    package private(set) var rows: [SequenceRows] = []

    /// Takes texts from the jobs, one of each in turn, for as long as the next one fits.
    ///
    /// - Parameters:
    ///   - lengths: for each job, the numbers of tokens of its texts.
    ///   - begun: for each job, how many of its texts have been taken before; counted on.
    ///   - positions: the room, in positions; a text that needs more has a step of its own.
    package init(_ lengths: [[Int]], begun: inout [Int], positions: Int) {
        var rowCount = 0
        var position = 0
        var isFull = false
        while !isFull {
            var hasTaken = false
            for job in lengths.indices where !isFull && begun[job] < lengths[job].count {
                let count = lengths[job][begun[job]]
                guard entries.isEmpty || position + EncoderScratch.positions(of: count) <= positions else {
                    isFull = true
                    break
                }
                entries.append(Entry(job: job, text: begun[job]))
                rows.append(SequenceRows(rows: rowCount..<rowCount + count, position: position))
                rowCount += count
                position += EncoderScratch.positions(of: count)
                begun[job] += 1
                hasTaken = true
            }
            if !hasTaken { break }
        }
    }
}
