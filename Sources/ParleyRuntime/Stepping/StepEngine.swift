// SPDX-License-Identifier: Apache-2.0

/// The part of an engine that runs on the thread of its model: it runs the tokens of waiting steps through the network.
///
/// Only that thread calls it. A ``StepScheduler`` decides which tokens run, and releases the engine on the same thread.
package protocol StepEngine: AnyObject, SendableMetatype {
    /// The state that the engine keeps for a sequence.
    associatedtype Sequence: EngineSequence

    /// The most rows that can run together; asked before each step, and may change between two.
    var mostRows: Int { get }

    /// Frees what released sequences have left behind; called each time the thread is woken.
    func tidy()

    /// Prepares a sequence for the job's step.
    ///
    /// - Throws: an error if the step cannot run; the step ends with it.
    func accept(_ job: StepJob<Sequence>) throws

    /// The number of the job's remaining tokens that can run in the next step; an engine that takes embeddings runs
    /// them apart from these.
    func rows(of job: StepJob<Sequence>) -> Int

    /// Runs some of the next tokens of each job and writes the requested logits.
    ///
    /// The engine reports the tokens it has run with ``StepJob/advance(by:)``, and a job that cannot continue with
    /// ``StepJob/fail(_:)``. Tokens that were not run are passed again in a later call.
    ///
    /// - Parameters:
    ///   - jobs: the waiting jobs, in order of arrival.
    ///   - shares: the number of tokens to run for each job: at most ``rows(of:)``, and in total at most ``mostRows``.
    func run(_ jobs: [StepJob<Sequence>], shares: [Int])
}

extension StepEngine {
    package func tidy() {}
    package func accept(_ job: StepJob<Sequence>) throws {}
    package func rows(of job: StepJob<Sequence>) -> Int { job.remaining }
}

/// The state that an engine keeps for a sequence, apart from its contents.
///
/// Only the engine's thread uses it during a step, and only the sequence's timeline at other times.
package protocol EngineSequence: AnyObject, Sendable {
    /// Whether ``rewind(to:of:)`` can reach every position.
    var rewindsExactly: Bool { get }

    /// Removes everything from a position on.
    ///
    /// - Parameters:
    ///   - position: from 0 to `count`; not inside an embedding.
    ///   - count: the number of positions in the sequence.
    /// - Returns: the position reached, which may be smaller.
    func rewind(to position: Int, of count: Int) -> Int

    /// Checks an embedding before a step runs it; the default refuses all.
    ///
    /// - Throws: an error if the engine takes no embeddings, or not this one.
    func admit(_ embedding: InputEmbedding) throws

    /// Copies the state of some positions of another sequence, while neither is in a step; the default copies nothing.
    ///
    /// - Parameters:
    ///   - positions: the positions to copy; this sequence has all before them, and both have room for them.
    ///   - donor: the other sequence, whose tokens up to the end of the positions are the same.
    ///   - budget: the number of bytes to copy at most, unless even the smallest piece has more; is reduced by what has
    ///     been copied.
    /// - Returns: the position reached, at which the state of this sequence then is; the start of the positions if
    ///   nothing could be copied.
    func copy(_ positions: Range<Int>, of donor: Self, within budget: inout Int) -> Int

    /// Called after a rewind, when nobody reads the positions from `count` on any more, so that their memory may be given
    /// back; does nothing by default.
    func trim(to count: Int)

    /// Called when positions have been run or copied; `count` is the new number of positions in the sequence.
    func advance(to count: Int)
}

extension EngineSequence {
    package func admit(_ embedding: InputEmbedding) throws { throw RuntimeError.takesOnlyTokens }
    package func trim(to count: Int) {}
    package func copy(_ positions: Range<Int>, of donor: Self, within budget: inout Int) -> Int { positions.lowerBound }
}

/// The state of a sequence that can be copied and put back; see ``SnapshotTimeline``.
package protocol SnapshotSequence: EngineSequence {
    /// What the bytes depend on apart from the model's weights.
    var snapshotFormat: String { get }

    /// The distance between two positions at which a snapshot can end.
    var snapshotInterval: Int { get }

    /// The size of a snapshot of the first `count` positions in bytes.
    func snapshotByteCount(of count: Int) -> Int

    /// Passes the memory of the first `count` positions, a multiple of ``snapshotInterval``, piece by piece and always
    /// in the same order, to be read or written.
    func withSnapshot(of count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) throws
}
