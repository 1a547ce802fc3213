// SPDX-License-Identifier: Apache-2.0

#if ONNX
    package import ParleyRuntime
    import Synchronization

    /// Runs the steps of a model in ONNX Runtime, one sequence after the other; only the model's thread calls it.
    package final class ONNXEngine: StepEngine {
        /// The most tokens of a step.
        static let rows = 256

        package let mostRows = ONNXEngine.rows

        private let weights: ONNXWeights
        private let vocabularySize: Int
        private let numbers: SequenceNumbers
        private let running: RunningGenerator
        /// Whether the network computes the logits of all tokens of a step, or of the last one alone.
        private let givesAllLogits: Bool
        /// The sequences that have run, and how many positions each has.
        private var sequences: [Int: (generator: ONNXGenerator, stored: Int)] = [:]

        /// Creates an engine and runs a step, so that loading fails if the model cannot run.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        init(_ weights: ONNXWeights, vocabularySize: Int, numbers: SequenceNumbers, running: RunningGenerator) throws {
            self.weights = weights
            self.vocabularySize = vocabularySize
            self.numbers = numbers
            self.running = running
            let trial = try ONNXGenerator(weights, length: 2)
            try trial.append([0, 0])
            givesAllLogits = try trial.withLogits(vocabularySize: vocabularySize) { $0.count } > vocabularySize
        }

        /// Frees the sequences that nobody has any more.
        package func tidy() {
            for number in numbers.takeReleased() { sequences[number] = nil }
        }

        /// Makes the runtime's sequence match that of the job.
        package func accept(_ job: StepJob<ONNXSequence>) throws {
            let (generator, stored) = try sequence(of: job)
            let held = job.heldCount
            guard stored != held else { return }
            do {
                guard stored > held else { return restart(job) }
                try generator.rewind(to: held)
                sequences[job.sequence.number] = (generator, held)
            } catch {
                restart(job)
            }
        }

        /// The runtime's sequence, which is created where there is none.
        private func sequence(of job: StepJob<ONNXSequence>) throws -> (generator: ONNXGenerator, stored: Int) {
            if let sequence = sequences[job.sequence.number] { return sequence }
            let generator = try ONNXGenerator(weights, length: job.sequence.capacity)
            sequences[job.sequence.number] = (generator, 0)
            return (generator, 0)
        }

        package func rows(of job: StepJob<ONNXSequence>) -> Int {
            let last = job.input.count - 1
            guard !givesAllLogits, let first = (job.done...last).first(where: { job.outputRow(of: $0) != nil }),
                first < last
            else { return job.remaining }
            // Only the last token of a step has logits: those that are wanted of others take steps of their own.
            return max(first - job.done, 1)
        }

        package func run(_ jobs: [StepJob<ONNXSequence>], shares: [Int]) {
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
        private func run(_ count: Int, of job: StepJob<ONNXSequence>) throws {
            let (generator, stored) = try sequence(of: job)
            let positions = job.done..<job.done + count
            try running.run(generator, for: job.cancellation) {
                try generator.append(job.input.tokens(at: positions).map { Int32($0) })
            }
            if let output = job.output, positions.contains(where: { job.outputRow(of: $0) != nil }) {
                try generator.withLogits(vocabularySize: vocabularySize) { logits in
                    // The rows are those of the last tokens.
                    let first = positions.upperBound - logits.count / vocabularySize
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
        private func undo(_ job: StepJob<ONNXSequence>) {
            guard let (generator, stored) = sequences[job.sequence.number] else { return }
            do {
                try generator.rewind(to: stored)
            } catch {
                restart(job)
            }
        }

        /// Drops a sequence; all that the job has is run again in a new one.
        private func restart(_ job: StepJob<ONNXSequence>) {
            sequences[job.sequence.number] = nil
            job.restart()
        }
    }

    /// Numbers sequences, and remembers those that have been released until the model's thread frees them.
    final class SequenceNumbers: Sendable {
        private let state = Mutex<(next: Int, released: [Int])>((0, []))

        /// The number of a new sequence.
        func take() -> Int {
            state.withLock { state in
                state.next += 1
                return state.next
            }
        }

        /// Called when a sequence is deinitialised.
        func release(_ number: Int) { state.withLock { $0.released.append(number) } }

        /// The sequences that have been released since the last call.
        func takeReleased() -> [Int] {
            state.withLock { state in
                defer { state.released.removeAll() }
                return state.released
            }
        }
    }
#endif
