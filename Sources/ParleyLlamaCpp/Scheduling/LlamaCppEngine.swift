// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    package import ParleyRuntime

    /// Runs the steps of a model in llama.cpp; only the model's thread calls it.
    package final class LlamaCppEngine: StepEngine {
        package let mostRows = Int(PARLEY_LLAMA_ROWS)

        private let weights: LlamaCppWeights
        private let shape: LlamaCppContext.Shape
        private let places: SequencePlaces
        private let running: RunningBatch
        private var contexts: [Int: LlamaCppContext] = [:]

        /// Creates an engine with its first context, so that loading fails if the model cannot run.
        ///
        /// - Parameters:
        ///   - weights: the weights of the model.
        ///   - shape: the sizes of a context.
        ///   - places: assigns places in contexts to sequences.
        ///   - running: can abort a batch.
        /// - Throws: `RuntimeError` with llama.cpp's messages.
        init(
            _ weights: LlamaCppWeights, shape: LlamaCppContext.Shape, places: SequencePlaces, running: RunningBatch
        ) throws {
            self.weights = weights
            self.shape = shape
            self.places = places
            self.running = running
            contexts[0] = try LlamaCppContext(weights, shape, abort: running.abort)
        }

        /// Frees the contexts in which no sequence has a place, except the first.
        package func tidy() {
            guard let used = places.contextsInUse() else { return }
            for number in contexts.keys where number > 0 {
                if used.contains(number) {
                    // Its memory was reserved once more if a place was assigned when the last one had been released.
                    places.contextWasMade(number)
                } else {
                    contexts[number] = nil
                }
            }
        }

        /// Makes llama.cpp's sequence match that of the job, or has the tokens that llama.cpp lost run again.
        package func accept(_ job: StepJob<LlamaCppSequence>) throws {
            let sequence = job.sequence
            let context = try context(sequence.place.context)
            guard sequence.stored != job.held.count else { return }
            if sequence.stored != nil, !job.held.isEmpty, context.cut(sequence.place.sequence, from: job.position) {
                sequence.advance(to: job.held.count)
            } else {
                restart(job, in: context)
            }
        }

        package func rows(of job: StepJob<LlamaCppSequence>) -> Int { job.remainingText }

        package func run(_ jobs: [StepJob<LlamaCppSequence>], shares: [Int]) {
            // Only one: it may take seconds, in which other jobs wait and may be cancelled.
            let seeing = jobs.first { $0.nextImage != nil && !$0.cancellation.isSet }
            if let seeing, let piece = seeing.nextImage { run(piece, of: seeing) }
            var batches: [Int: StepBatch<LlamaCppSequence>] = [:]
            for (job, count) in zip(jobs, shares) where count > 0 && !job.cancellation.isSet {
                batches[job.sequence.place.context, default: StepBatch()].append(count, of: job)
            }
            for (number, batch) in batches {
                guard let context = contexts[number] else { continue }
                attempt(batch.parts.map(\.job), in: context) {
                    guard try context.run(batch) else { return false }
                    for part in batch.parts { part.job.advance(by: part.rows.count) }
                    return true
                }
            }
        }

        /// Runs the next piece of an image in a job.
        private func run(_ piece: ImagePiece, of job: StepJob<LlamaCppSequence>) {
            let place = job.sequence.place
            guard let context = contexts[place.context] else { return }
            attempt([job], in: context) {
                guard try context.run(piece, at: job.position, of: place.sequence) else { return false }
                job.advance(by: piece.rows)
                return true
            }
        }

        /// Runs `body` for jobs. If it throws, or returns false because the batch was aborted, their sequences are
        /// restored.
        private func attempt(
            _ jobs: [StepJob<LlamaCppSequence>], in context: LlamaCppContext, _ body: () throws -> Bool
        ) {
            do {
                let isDone = try running.run(for: jobs, body)
                if !isDone { for job in jobs { undo(job, in: context) } }
            } catch {
                for job in jobs {
                    undo(job, in: context)
                    job.fail(error)
                }
            }
        }

        private func undo(_ job: StepJob<LlamaCppSequence>, in context: LlamaCppContext) {
            let sequence = job.sequence.place.sequence
            if job.held.isEmpty || !context.cut(sequence, from: job.position) { restart(job, in: context) }
        }

        private func restart(_ job: StepJob<LlamaCppSequence>, in context: LlamaCppContext) {
            // Removing all positions of a sequence is always possible.
            _ = context.cut(job.sequence.place.sequence, from: 0)
            job.sequence.advance(to: 0)
            job.restart()
        }

        private func context(_ number: Int) throws -> LlamaCppContext {
            if let context = contexts[number] { return context }
            let context = try LlamaCppContext(weights, shape, abort: running.abort)
            contexts[number] = context
            places.contextWasMade(number)
            return context
        }
    }
#endif
