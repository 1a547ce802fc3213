// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer
import Synchronization

/// What the scheduler works on for a timeline: the tokens it holds, what the engine keeps of them, and the step it asks
/// for. Made once for a timeline and used for all its steps, which do not overlap.
///
/// `@unchecked Sendable`: between ``StepScheduler/run(_:)`` and the end of the step only the scheduler's thread touches
/// it, otherwise only the timeline.
package final class StepJob<Sequence: EngineSequence>: @unchecked Sendable {
    package let sequence: Sequence
    /// The positions that the sequence can hold.
    package let capacity: Int
    /// Set by the task that waits for the step.
    package let cancellation = Cancellation()
    /// The tokens held.
    package private(set) var held: [TokenID] = []
    /// The tokens to append, of which the first ``done`` have been run.
    package private(set) var tokens: [TokenID] = []
    package private(set) var done = 0
    package private(set) var output: LogitRows?
    /// Why the step cannot go on.
    private(set) var failure: (any Error)?

    private var positions = TimelineStep.Positions.none
    /// How many of the tokens were held before and are run again; their logits are not asked for.
    private var repeated = 0
    /// Unchecked, for a checked one is allocated: ``finish(_:)`` is its only use, and leaves none.
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(_ sequence: Sequence, capacity: Int) {
        self.sequence = sequence
        self.capacity = capacity
        held.reserveCapacity(min(capacity, mostReserved))
    }

    package var remaining: Int { tokens.count - done }

    /// The row of the output for one of the tokens, if its logits are asked for.
    package func outputRow(of token: Int) -> Int? {
        switch positions {
        case .none: nil
        case .last: token == tokens.count - 1 ? 0 : nil
        case .all: token >= repeated ? token - repeated : nil
        }
    }

    /// Called when tokens have been run: they are now held.
    package func advance(by count: Int) {
        held.append(contentsOf: tokens[done..<done + count])
        done += count
        sequence.advance(to: held.count)
    }

    /// Called where the engine has lost the sequence: the tokens held are run again, before those that remain.
    package func restart() {
        tokens.replaceSubrange(..<done, with: held)
        repeated += held.count - done
        done = 0
        held.removeAll(keepingCapacity: true)
    }

    /// Called where the step cannot go on.
    package func fail(_ error: any Error) {
        failure = error
    }
}

/// The tokens that room is made for at once; in longer sequences it grows.
private let mostReserved = 1 << 16

extension StepJob {
    /// Takes what a step asks for.
    ///
    /// - Throws: `RuntimeError` where the tokens do not fit into the sequence or are not in the vocabulary, and what
    ///   the engine throws.
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

    /// Leaves the first `count` of the tokens held.
    func truncate(to count: Int) {
        held.removeSubrange(count...)
    }

    /// Remembers who waits for the step.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    /// Ends the step; afterwards the job is the timeline's again.
    func finish(_ result: Result<Void, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        output = nil
        continuation.resume(with: result)
    }
}

/// Whether somebody has given up waiting.
package final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    package var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
    func clear() { flag.store(false, ordering: .relaxed) }
}
