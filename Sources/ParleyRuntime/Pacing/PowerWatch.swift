// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import ParleySystem
import Synchronization

/// Looks at the machine's condition every few seconds while a model runs steps, and says what they may use.
package final class PowerWatch: Sendable {
    /// What a policy has led to.
    package struct Status: Sendable, Hashable {
        /// The policy.
        package var policy: PowerPolicy
        /// The condition of the machine when it was looked at last.
        package var condition: MachineCondition
        /// What steps may use in it.
        package var limits: StepLimits
    }

    private struct State {
        var condition = MachineCondition()
        var lookedAt: ContinuousClock.Instant?
        var isLooking = false
    }

    /// The time between two looks: heat and batteries change slowly.
    package static let interval = Duration.seconds(3)

    private let policy: PowerPolicy
    private let all: StepLimits
    private let look: @Sendable () -> MachineCondition
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// No other lock is taken while this one is held.
    private let state = Mutex(State())

    /// Creates a watch and looks at the machine.
    ///
    /// - Parameters:
    ///   - policy: what decides; with ``PowerPolicy/performance`` the machine is never looked at.
    ///   - all: what a step may use at most.
    ///   - now: the time.
    ///   - look: looks at the machine, which may take some milliseconds where its firmware is asked.
    ///   - later: runs a look beside the steps.
    package init(
        _ policy: PowerPolicy, of all: StepLimits, now: ContinuousClock.Instant = .now,
        look: @escaping @Sendable () -> MachineCondition = MachineCondition.current,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { look in
            DispatchQueue.global(qos: .utility).async(execute: look)
        }
    ) {
        self.policy = policy
        self.all = all
        self.look = look
        self.later = later
        guard policy != .performance else { return }
        let condition = look()
        state.withLock { ($0.condition, $0.lookedAt) = (condition, now) }
    }

    /// What the next step may use; called before each, by the thread that runs them.
    ///
    /// If the last look was some seconds ago, the next one begins, which later steps follow.
    package func limits(at now: ContinuousClock.Instant = .now) -> StepLimits {
        let (condition, isDue) = state.withLock { state in
            let isDue = !state.isLooking && state.lookedAt.map { $0.duration(to: now) >= Self.interval } ?? false
            if isDue { (state.isLooking, state.lookedAt) = (true, now) }
            return (state.condition, isDue)
        }
        if isDue { later { [weak self] in self?.lookAgain() } }
        return policy.limits(in: condition, of: all)
    }

    /// What holds now; does not look at the machine.
    package var status: Status {
        let condition = state.withLock { $0.condition }
        return Status(policy: policy, condition: condition, limits: policy.limits(in: condition, of: all))
    }

    private func lookAgain() {
        let condition = look()
        state.withLock { ($0.condition, $0.isLooking) = (condition, false) }
    }
}
