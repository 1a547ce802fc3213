// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// What an engine does on the thread of its model, which alone calls it: it takes the tokens of waiting steps through the
/// network. A ``StepScheduler`` decides whose tokens, and frees the engine on the same thread.
package protocol StepEngine: AnyObject, SendableMetatype {
    /// What the engine keeps of a sequence.
    associatedtype Sequence: EngineSequence

    /// The most rows that can run together.
    var mostRows: Int { get }

    /// Gives back what sequences that are gone have left. Called each time the thread is woken.
    func tidy()

    /// Makes a sequence ready for the job's step.
    ///
    /// - Throws: why the step cannot run; it ends with this error.
    func accept(_ job: StepJob<Sequence>) throws

    /// How many of the job's remaining tokens can run next.
    func rows(of job: StepJob<Sequence>) -> Int

    /// Runs some of the next tokens of each job and writes the logits that are asked for.
    ///
    /// What has been run is told to the job with ``StepJob/advance(by:)``, what cannot run with ``StepJob/fail(_:)``;
    /// the rest comes again.
    ///
    /// - Parameters:
    ///   - jobs: the jobs that wait, in order of arrival.
    ///   - shares: how many tokens of each are to run, at most ``rows(of:)`` and together at most ``mostRows``.
    func run(_ jobs: [StepJob<Sequence>], shares: [Int])
}

extension StepEngine {
    package func tidy() {}
    package func accept(_ job: StepJob<Sequence>) throws {}
    package func rows(of job: StepJob<Sequence>) -> Int { job.remaining }
}

/// What an engine keeps of a sequence beside the tokens it holds.
///
/// During a step only the engine's thread uses it, otherwise only the sequence's timeline.
package protocol EngineSequence: AnyObject, Sendable {
    /// Whether ``rewind(to:of:)`` reaches every position.
    var rewindsExactly: Bool { get }

    /// Whether ids below zero stand for positions of images.
    var takesImages: Bool { get }

    /// Forgets everything from a position on.
    ///
    /// - Parameters:
    ///   - position: from 0 to `count`.
    ///   - count: how many tokens are held.
    /// - Returns: the position that was reached.
    func rewind(to position: Int, of count: Int) -> Int

    /// Looks at the tokens of a step before it runs, and may put some off to the next one.
    ///
    /// - Throws: why they cannot run.
    func admit(_ tokens: inout [TokenID], wanting positions: TimelineStep.Positions) throws

    /// Called when tokens have been run: `count` are held now.
    func advance(to count: Int)
}

extension EngineSequence {
    package var takesImages: Bool { false }
    package func admit(_ tokens: inout [TokenID], wanting positions: TimelineStep.Positions) throws {}
}
