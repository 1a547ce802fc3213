// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer
import Synchronization

/// The work that the scheduler does for a timeline: its tokens, the engine's state for them, and the current step.
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
    /// The tokens in the sequence.
    package private(set) var held: [TokenID] = []
    /// The tokens of the step, of which the first ``done`` have been run.
    package private(set) var tokens: [TokenID] = []
    package private(set) var done = 0
    package private(set) var output: LogitRows?
    /// The error because of which the step cannot continue.
    private(set) var failure: (any Error)?

    private var positions = TimelineStep.Positions.none
    /// The number of tokens at the start that were in the sequence before and are run again; they need no logits.
    private var repeated = 0
    /// An unsafe continuation, because a checked one needs an allocation. Only ``finish(_:)`` resumes it, exactly once.
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(_ sequence: Sequence, capacity: Int) {
        self.sequence = sequence
        self.capacity = capacity
        held.reserveCapacity(min(capacity, mostReserved))
    }

    package var remaining: Int { tokens.count - done }

    /// The row of the output for a token of the step; nil if its logits are not requested.
    package func outputRow(of token: Int) -> Int? {
        switch positions {
        case .none: nil
        case .last: token == tokens.count - 1 ? 0 : nil
        case .all: token >= repeated ? token - repeated : nil
        }
    }

    /// Called when the next `count` tokens have been run and are part of the sequence.
    package func advance(by count: Int) {
        held.append(contentsOf: tokens[done..<done + count])
        done += count
        sequence.advance(to: held.count)
    }

    /// Called if the engine has lost the sequence: all of its tokens are run again, before the remaining ones.
    package func restart() {
        tokens.replaceSubrange(..<done, with: held)
        repeated += held.count - done
        done = 0
        held.removeAll(keepingCapacity: true)
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
    /// - Throws: `RuntimeError` if the tokens do not fit into the sequence or are not in the vocabulary, and any error
    ///   of the engine.
    func prepare(_ step: TimelineStep, into output: LogitRows, vocabularySize: Int) throws {
        cancellation.clear()
        tokens.removeAll(keepingCapacity: true)
        tokens.append(contentsOf: step.tokens)
        (done, repeated, failure) = (0, 0, nil)
        positions = step.positions
        self.output = output
        try sequence.admit(&tokens, wanting: positions)
        guard held.count + tokens.count <= capacity else {
            throw RuntimeError(
                .contextExceeded,
                "\(tokens.count) more tokens after \(held.count) exceed the context of \(capacity).")
        }
        let lowest = sequence.takesImages ? TokenID.min : 0
        if let stray = tokens.first(where: { $0 < lowest || $0 >= vocabularySize }) {
            throw RuntimeError(.invalidInput, "Token \(stray) is not in the vocabulary of \(vocabularySize) tokens.")
        }
        let rows =
            switch positions {
            case .none: 0
            case .last: min(tokens.count, 1)
            case .all: tokens.count
            }
        try output.resize(count: rows, vocabularySize: vocabularySize)
    }

    /// Keeps only the first `count` tokens of the sequence.
    func truncate(to count: Int) {
        held.removeSubrange(count...)
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

    func set() { flag.store(true, ordering: .relaxed) }
    func clear() { flag.store(false, ordering: .relaxed) }
}
