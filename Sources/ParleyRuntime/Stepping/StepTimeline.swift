// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

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
        let count = job.heldCount
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

    package func adopt(prefix: ModelInput, of donor: any TokenTimeline) async throws -> Int {
        let own = rewind(to: contents.commonPrefix(with: prefix))
        guard model.adoptsPrefixes, let donor = donor as? StepTimeline<Model>,
            donor.model.scheduler === model.scheduler,
            case .tokens(let tokens)? = prefix.part(at: 0), own < tokens.count,
            donor.contents.commonPrefix(with: prefix) > own
        else { return own }
        job.prepare(adopting: tokens, of: donor.job)
        try await model.scheduler.run(job)
        return job.heldCount
    }
}

extension StepTimeline: GuessPricing {
    package var guessCost: Double? { model.scheduler.guessCost }
}

extension StepTimeline: SnapshotTimeline where Model.Engine.Sequence: SnapshotSequence {
    package var snapshotFormat: String { job.sequence.snapshotFormat }

    package var snapshotInterval: Int { job.sequence.snapshotInterval }

    package func snapshotByteCount(of count: Int) -> Int { job.sequence.snapshotByteCount(of: count) }

    package func writeSnapshot(of count: Int, to write: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard case .tokens(let tokens)? = contents.part(at: 0), count <= tokens.count else {
            throw noSnapshot(of: count)
        }
        try check(count)
        try job.sequence.withSnapshot(of: count) { try write(UnsafeRawBufferPointer($0)) }
    }

    package func readSnapshot(
        of tokens: [TokenID], from read: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        _ = rewind(to: 0)
        try check(tokens.count)
        guard tokens.allSatisfy({ (0..<vocabularySize).contains(Int($0)) }) else { throw noSnapshot(of: tokens.count) }
        do {
            try job.sequence.withSnapshot(of: tokens.count, read)
            job.hold(.tokens(tokens[...]))
            // Brings the engine's state to the end of the snapshot.
            _ = job.sequence.rewind(to: tokens.count, of: capacity + 1)
        } catch {
            // The state has been written in part.
            _ = job.sequence.rewind(to: 0, of: capacity + 1)
            throw error
        }
    }

    private func check(_ count: Int) throws {
        guard count > 0, count <= capacity, count.isMultiple(of: snapshotInterval) else { throw noSnapshot(of: count) }
    }

    private func noSnapshot(of count: Int) -> RuntimeError {
        RuntimeError(
            .invalidInput,
            "There is no snapshot of \(count) tokens: it takes a multiple of \(snapshotInterval), up to \(capacity), that "
                + "the sequence holds.")
    }
}
