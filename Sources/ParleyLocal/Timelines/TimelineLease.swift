// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import Synchronization

/// A timeline in the hands of the one generation that uses it, with the positions that are reserved for it.
package final class TimelineLease: Sendable {
    /// The timeline.
    package let timeline: any TokenTimeline
    /// Its number in the pool.
    let number: Int
    /// The place of the generation among all, in the order in which they asked.
    let age: Int
    /// The prompt of the generation.
    let prompt: ModelInput
    /// The time from which the generation waits for nothing; nil for no limit.
    let deadline: ContinuousClock.Instant?

    private let pool: TimelinePool
    /// The position from which the generation has to ask for more.
    private let end: Atomic<Int>
    private let reachedPosition = Atomic(0)

    init(
        _ timeline: any TokenTimeline, number: Int, age: Int, prompt: ModelInput, reserved count: Int,
        until deadline: ContinuousClock.Instant?, in pool: TimelinePool
    ) {
        (self.timeline, self.number, self.age) = (timeline, number, age)
        (self.prompt, self.deadline, self.pool) = (prompt, deadline, pool)
        end = Atomic(Self.end(count, timeline))
    }

    /// The position that the generation has come to. Only the generation may ask the timeline itself.
    var position: Int { reachedPosition.load(ordering: .relaxed) }

    /// Records how much of the prompt has been read.
    package func reached(_ count: Int) {
        reachedPosition.store(count, ordering: .relaxed)
        pool.reached(count, by: self)
        // It may have been set back before the pool had it to interrupt, while its timeline was being made.
        if pool.mustLeave(self) { interrupt() }
    }

    /// Whether ``makeRoom(for:)`` has to be called before more of the prompt is read or the next token is drawn: what was
    /// reserved is used up, or others need it.
    package func lacksRoom(for generation: Generation) -> Bool {
        reachedPosition.store(generation.position, ordering: .relaxed)
        return generation.finishReason == nil && generation.position >= end.load(ordering: .relaxed)
    }

    /// Reserves more for a reply. If there is no more, the reply gives back what it has, waits for others, and then reads
    /// again what it had, so that it goes on with the same tokens.
    ///
    /// - Throws: any error of the timeline. Cancellation and the deadline end the generation and are not errors.
    package func makeRoom(for generation: inout Generation) async throws {
        do {
            switch try await pool.extend(self, from: generation.position) {
            case .granted(let count): setEnd(count)
            case .full: generation.fill()
            case .setBack:
                let held = generation.giveBack()
                reachedPosition.store(0, ordering: .relaxed)
                guard let count = try await pool.readmit(self, holding: held) else { return generation.fill() }
                setEnd(count)
                try await generation.readAgain(held)
            }
        } catch is CancellationError {
            generation.cancel()
        } catch is PromptDeadlinePassed {
            generation.expire()
        }
    }

    /// Lets the generation ask for room before its next token.
    func interrupt() { end.store(0, ordering: .sequentiallyConsistent) }

    private func setEnd(_ count: Int) {
        end.store(Self.end(count, timeline), ordering: .sequentiallyConsistent)
        // It may have been interrupted before.
        if pool.mustLeave(self) { interrupt() }
    }

    private static func end(_ count: Int, _ timeline: any TokenTimeline) -> Int {
        count < timeline.capacity ? count - TimelinePool.margin : .max
    }
}
