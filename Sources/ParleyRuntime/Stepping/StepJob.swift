// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Synchronization

/// The work that the scheduler does for a timeline: its contents, the engine's state for them, and the current step or
/// copy.
///
/// It is created once per timeline and used for all of its steps, which do not overlap.
///
/// `@unchecked Sendable`: only the scheduler's thread uses it between ``StepScheduler/run(_:)`` and the end of the
/// step, and only the timeline at other times. What it holds has a lock, because other sequences copy from it at any
/// time.
package final class StepJob<Sequence: EngineSequence>: @unchecked Sendable {
    package let sequence: Sequence
    /// The most positions that the sequence can hold.
    package let capacity: Int
    /// Set when the task that waits for the step is cancelled.
    package let cancellation = Cancellation()
    /// What the sequence holds. The lock is kept while positions are copied from here, so that they cannot be removed
    /// meanwhile; no other lock is taken then.
    private let holding = Mutex(ModelInput())
    /// What the step appends, of which the first ``done`` positions have been run.
    package private(set) var input = ModelInput()
    package private(set) var done = 0
    package private(set) var output: LogitRows?
    /// The error because of which the step cannot continue.
    private(set) var failure: (any Error)?
    /// Whose step it is, and how many tokens follow in later ones.
    private(set) var (client, following) = (0, 0)
    /// Since when the job has been given no rows.
    private(set) var since = ContinuousClock.now

    private var positions = TimelineStep.Positions.none
    /// The number of positions at the start that were in the sequence before and are run again; they need no logits.
    private var repeated = 0
    /// The copy that is to be made instead of a step.
    private var adoption: Adoption?
    /// An unsafe continuation, because a checked one needs an allocation. Only ``finish(_:)`` resumes it, exactly once.
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(_ sequence: Sequence, capacity: Int) {
        self.sequence = sequence
        self.capacity = capacity
        holding.withLock { $0.reserveCapacity(min(capacity, mostReserved)) }
    }

    /// What the sequence holds.
    package var held: ModelInput { holding.withLock { $0 } }

    /// The number of positions that the sequence holds.
    package var heldCount: Int { holding.withLock { $0.count } }

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
            hold(.embedding(embedding))
        } else {
            hold(.tokens(input.tokens(at: done..<done + count)))
        }
        done += count
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
        holding.withLock { $0.removeAll() }
    }

    /// Called when a step has begun in which the job has rows.
    func served(at time: ContinuousClock.Instant) { since = time }

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
        (client, following) = (step.client, step.following)
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
        let count = heldCount
        guard input.count <= capacity - count else {
            throw RuntimeError(
                .contextExceeded,
                "\(input.count) more positions after \(count) exceed the context of \(capacity).")
        }
    }

    /// Keeps only what the sequence holds before a position.
    func truncate(to position: Int) {
        // Under the lock, so that nobody copies meanwhile.
        holding.withLock { held in
            held.truncate(to: position)
            sequence.trim(to: held.count)
        }
    }

    /// Called when the sequence has been given the state of what follows.
    func hold(_ part: ModelInput.Part) {
        let count = holding.withLock { held in
            held.append(part)
            return held.count
        }
        sequence.advance(to: count)
    }

    /// Stores the continuation that waits for the step.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
        since = .now
    }

    /// Ends the step; afterwards only the timeline uses the job.
    func finish(_ result: Result<Void, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        (output, adoption) = (nil, nil)
        continuation.resume(with: result)
    }
}

// MARK: Copying

extension StepJob {
    /// A copy of the first positions of another sequence.
    private struct Adoption {
        /// The tokens that are wanted from the beginning.
        let wanted: ModelInput
        let donor: StepJob
    }

    /// Whether a copy is to be made, and no step.
    var isCopy: Bool { adoption != nil }

    /// Sets what is to be copied: what another sequence holds of some tokens, which begin with those held here.
    func prepare(adopting tokens: ArraySlice<TokenID>, of donor: StepJob) {
        cancellation.clear()
        failure = nil
        adoption = Adoption(wanted: ModelInput(Array(tokens)), donor: donor)
    }

    /// Copies a piece, between two steps.
    ///
    /// - Parameter budget: the number of bytes to copy at most; is reduced by what has been copied.
    /// - Returns: whether the copy is complete, or the donor holds no more of it.
    func copyPiece(within budget: inout Int) -> Bool {
        guard let adoption, adoption.donor !== self else { return true }
        let start = heldCount
        let (reached, end) = adoption.donor.holding.withLock { held in
            let end = min(held.commonPrefix(with: adoption.wanted), capacity)
            guard end > start else { return (start, start) }
            return (sequence.copy(start..<end, of: adoption.donor.sequence, within: &budget), end)
        }
        guard reached > start else { return true }
        hold(.tokens(adoption.wanted.tokens[start..<reached]))
        return reached == end
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
