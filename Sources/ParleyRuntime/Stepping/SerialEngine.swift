// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// Runs the steps of a model in a library that has its own caches, one sequence after the other.
///
/// Only the model's thread calls it.
package final class SerialEngine<Cache: SerialCache>: StepEngine {
    package let mostRows = serialRows

    private let vocabularySize: Int
    private let numbers: SequenceNumbers
    private let running: RunningStep<Cache>
    /// The promise of the scratch memory, which longer steps than before write to.
    private let scratch: MemoryReservation
    private let makeCache: (_ capacity: Int) throws -> Cache
    /// Whether the network computes the logits of all tokens of a step, or of the last one alone.
    private let givesAllLogits: Bool
    /// The sequences that have run, and how many positions each has.
    private var sequences: [Int: (cache: Cache, stored: Int)] = [:]

    /// Creates an engine and runs a step, so that loading fails if the model cannot run.
    ///
    /// - Parameters:
    ///   - vocabularySize: the number of logits in a row.
    ///   - numbers: numbers the sequences.
    ///   - running: ends steps early.
    ///   - scratch: the reservation of the library's scratch memory, which the engine keeps.
    ///   - makeCache: creates an empty cache of at most the given number of tokens.
    /// - Throws: an error of the library.
    init(
        vocabularySize: Int, numbers: SequenceNumbers, running: RunningStep<Cache>, scratch: MemoryReservation,
        makeCache: @escaping (_ capacity: Int) throws -> Cache
    ) throws {
        self.vocabularySize = vocabularySize
        self.numbers = numbers
        self.running = running
        self.scratch = scratch
        self.makeCache = makeCache
        let trial = try makeCache(2)
        try trial.run([0, 0], wanted: 2)
        givesAllLogits = try trial.withLogits { $0.count } > vocabularySize
    }

    /// Frees the sequences that nobody has any more.
    package func tidy() {
        for number in numbers.takeReleased() { sequences[number] = nil }
    }

    /// Makes the library's sequence match that of the job.
    package func accept(_ job: StepJob<SerialSequence>) throws {
        let (cache, stored) = try sequence(of: job)
        let held = job.heldCount
        guard stored != held else { return }
        do {
            guard stored > held else { return restart(job) }
            try cache.rewind(to: held)
            sequences[job.sequence.number] = (cache, held)
        } catch {
            restart(job)
        }
    }

    /// The library's sequence, which is created where there is none.
    private func sequence(of job: StepJob<SerialSequence>) throws -> (cache: Cache, stored: Int) {
        if let sequence = sequences[job.sequence.number] { return sequence }
        let cache = try makeCache(job.sequence.capacity)
        sequences[job.sequence.number] = (cache, 0)
        return (cache, 0)
    }

    package func rows(of job: StepJob<SerialSequence>) -> Int {
        let last = job.input.count - 1
        guard !givesAllLogits, let first = (job.done...last).first(where: { job.outputRow(of: $0) != nil }),
            first < last
        else { return job.remaining }
        // Only the last token of a step has logits: those that are wanted of others take steps of their own.
        return max(first - job.done, 1)
    }

    package func run(_ jobs: [StepJob<SerialSequence>], shares: [Int]) {
        for (job, count) in zip(jobs, shares) where count > 0 && !job.cancellation.isSet {
            do {
                try run(count, of: job)
            } catch {
                undo(job)
                if !job.cancellation.isSet { job.fail(error) }
            }
        }
    }

    /// Runs the next tokens of a job.
    private func run(_ count: Int, of job: StepJob<SerialSequence>) throws {
        let (cache, stored) = try sequence(of: job)
        let positions = job.done..<job.done + count
        let wanted = positions.first { job.outputRow(of: $0) != nil }.map { positions.upperBound - $0 } ?? 0
        scratch.reached(count, of: mostRows)
        try running.run(cache, for: job.cancellation) {
            try cache.run(job.input.tokens(at: positions), wanted: wanted)
        }
        if let output = job.output, wanted > 0 {
            try cache.withLogits { logits in
                // The rows are those of the last tokens.
                let rows = logits.count / vocabularySize
                guard rows >= wanted else {
                    throw RuntimeError(
                        .engineFailed, "The library gave \(rows) rows of logits where \(wanted) were wanted.")
                }
                let first = positions.upperBound - rows
                for position in max(first, positions.lowerBound)..<positions.upperBound {
                    guard let row = job.outputRow(of: position) else { continue }
                    let start = (position - first) * vocabularySize
                    _ = output[row].update(fromContentsOf: logits[start..<start + vocabularySize])
                }
            }
        }
        sequences[job.sequence.number]?.stored = stored + count
        job.advance(by: count)
    }

    /// Brings a sequence back to what it had before a step that failed or was cancelled.
    private func undo(_ job: StepJob<SerialSequence>) {
        guard let (cache, stored) = sequences[job.sequence.number] else { return }
        do {
            try cache.rewind(to: stored)
        } catch {
            restart(job)
        }
    }

    /// Drops a sequence; all that the job has is run again in a new one.
    private func restart(_ job: StepJob<SerialSequence>) {
        sequences[job.sequence.number] = nil
        job.restart()
    }
}

/// The most tokens of a step in libraries that run one sequence at a time.
package let serialRows = 256
