// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Synchronization

/// The work that the scheduler does for a timeline: its contents, the engine's state for them, and the current step.
///
/// It is created once per timeline and used for all of its steps, which do not overlap.
///
/// `@unchecked Sendable`: only the scheduler's thread uses it between ``StepScheduler/run(_:)`` and the end of the
/// step, and only the timeline at other times.
package final class StepJob<Sequence: EngineSequence>: @unchecked Sendable {
    package let sequence: Sequence
    /// The most positions that the sequence can hold.
    package let capacity: Int
    /// Set when the task that waits for the step is cancelled.
    package let cancellation = Cancellation()
    /// What the sequence holds.
    package private(set) var held = ModelInput()
    /// What the step appends, of which the first ``done`` positions have been run.
    package private(set) var input = ModelInput()
    package private(set) var done = 0
    package private(set) var output: LogitRows?
    /// The error because of which the step cannot continue.
    private(set) var failure: (any Error)?

    private var positions = TimelineStep.Positions.none
    /// The number of positions at the start that were in the sequence before and are run again; they need no logits.
    private var repeated = 0
    /// An unsafe continuation, because a checked one needs an allocation. Only ``finish(_:)`` resumes it, exactly once.
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(_ sequence: Sequence, capacity: Int) {
        self.sequence = sequence
        self.capacity = capacity
        held.reserveCapacity(min(capacity, mostReserved))
    }

    package var remaining: Int { input.count - done }

    /// The row of the output for a position of the step; nil if its logits are not requested.
    package func outputRow(of position: Int) -> Int? {
        switch positions {
        case .none: nil
        case .last: position == input.count - 1 ? 0 : nil
        case .all: position >= repeated ? position - repeated : nil
        }
    }

    /// Called when the next `count` tokens, or the next embedding, have been run and are part of the sequence.
    package func advance(by count: Int) {
        if case .embedding(let embedding) = input.part(at: done) {
            held.append(.embedding(embedding))
        } else {
            held.append(.tokens(input.tokens(at: done..<done + count)))
        }
        done += count
        sequence.advance(to: held.count)
    }

    /// Called if the engine has lost the sequence: all that it held is run again, before what remains.
    package func restart() {
        var whole = held
        while let part = input.part(at: done) {
            whole.append(part)
            done += part.count
        }
        repeated += whole.count - input.count
        input = whole
        done = 0
        held.removeAll()
    }

    /// Called if the step cannot continue.
    package func fail(_ error: any Error) {
        failure = error
    }
}

/// The most tokens for which memory is allocated in advance; it grows with longer sequences.
private let mostReserved = 1 << 16

extension StepJob {
    /// Sets the tokens and outputs of a step.
    ///
    /// - Throws: `RuntimeError` if the tokens do not fit into the sequence or are not in the vocabulary.
    func prepare(_ step: TimelineStep, into output: LogitRows, vocabularySize: Int) throws {
        try begin(.tokens(step.tokens[...]), step.positions)
        if let stray = step.tokens.first(where: { $0 < 0 || $0 >= vocabularySize }) {
            throw RuntimeError(.invalidInput, "Token \(stray) is not in the vocabulary of \(vocabularySize) tokens.")
        }
        self.output = output
        try output.resize(count: step.wantedTokens.count, vocabularySize: vocabularySize)
    }

    /// Sets the embedding of a step.
    ///
    /// - Throws: `RuntimeError` if it does not fit into the sequence; any error of the engine.
    func prepare(_ embedding: InputEmbedding) throws {
        try sequence.admit(embedding)
        try begin(.embedding(embedding), .none)
    }

    private func begin(_ part: ModelInput.Part, _ positions: TimelineStep.Positions) throws {
        cancellation.clear()
        (done, repeated, failure) = (0, 0, nil)
        self.positions = positions
        input.removeAll()
        input.append(part)
        guard input.count <= capacity - held.count else {
            throw RuntimeError(
                .contextExceeded,
                "\(input.count) more positions after \(held.count) exceed the context of \(capacity).")
        }
    }

    /// Keeps only what the sequence holds before a position.
    func truncate(to position: Int) {
        held.truncate(to: position)
    }

    /// Called when the sequence, which was empty, has been given the state of these tokens.
    func adopt(_ tokens: [TokenID]) {
        held = ModelInput(tokens)
        sequence.advance(to: held.count)
    }

    /// Stores the continuation that waits for the step.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    /// Ends the step; afterwards only the timeline uses the job.
    func finish(_ result: Result<Void, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        output = nil
        continuation.resume(with: result)
    }
}

/// Whether the task that waits has been cancelled.
package final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    package var isSet: Bool { flag.load(ordering: .relaxed) }

    package init() {}

    package func set() { flag.store(true, ordering: .relaxed) }
    func clear() { flag.store(false, ordering: .relaxed) }
}
