// SPDX-License-Identifier: Apache-2.0

/// A sequence of a model whose steps are run by a scheduler; it keeps the model alive.
///
/// `@unchecked Sendable`: only one generation at a time uses it, and its steps do not overlap. During a step only the
/// scheduler's thread uses the job.
package final class StepTimeline<Model: SteppedModel>: TokenTimeline, @unchecked Sendable {
    /// Declared before the model, so that the memory of the sequence is freed before the model.
    private let job: StepJob<Model.Engine.Sequence>
    private let model: Model
    private let vocabularySize: Int

    /// Creates an empty sequence of at most `capacity` positions.
    package init(_ sequence: Model.Engine.Sequence, of model: Model, capacity: Int) {
        self.model = model
        job = StepJob(sequence, capacity: capacity)
        vocabularySize = model.info.vocabularySize
    }

    package var capacity: Int { job.capacity }

    package var contents: ModelInput { job.held }

    package var rewindsExactly: Bool { job.sequence.rewindsExactly }

    package func rewind(to position: Int) -> Int {
        let count = contents.count
        let start = contents.boundary(at: min(max(position, 0), count))
        let reached = job.sequence.rewind(to: start, of: count)
        job.truncate(to: reached)
        return reached
    }

    package func step(_ step: TimelineStep, into output: LogitRows) async throws {
        try job.prepare(step, into: output, vocabularySize: vocabularySize)
        if job.remaining > 0 { try await model.scheduler.run(job) }
    }

    package func step(over embedding: InputEmbedding) async throws {
        try job.prepare(embedding)
        try await model.scheduler.run(job)
    }
}
