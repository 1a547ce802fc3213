// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// A sequence of a model whose steps a scheduler runs. It keeps the model alive.
///
/// `@unchecked Sendable`: it belongs to one generation at a time, whose steps do not overlap; during a step only the
/// scheduler's thread touches its job.
package final class StepTimeline<Model: SteppedModel>: TokenTimeline, @unchecked Sendable {
    /// Before the model, so that its memory is freed first.
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

    package var tokens: [TokenID] { job.held }

    package var rewindsExactly: Bool { job.sequence.rewindsExactly }

    package func rewind(to position: Int) -> Int {
        let reached = job.sequence.rewind(to: min(max(position, 0), tokens.count), of: tokens.count)
        job.truncate(to: reached)
        return reached
    }

    package func step(_ step: TimelineStep, into output: LogitRows) async throws {
        try job.prepare(step, into: output, vocabularySize: vocabularySize)
        if job.remaining > 0 { try await model.scheduler.run(job) }
    }
}
