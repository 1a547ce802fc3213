// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets lanes enter a step while it is open, and numbers them in the order in which they enter.
package final class StepGate: Sendable {
    /// The number of the step, whether lanes may still enter (1 bit), and how many have entered (16 bits).
    private let state = Atomic<Int>(0)

    package init() {}

    /// The number of the latest step, from 1; 0 before the first step.
    package var step: Int { state.load(ordering: .sequentiallyConsistent) >> 17 }

    /// How many lanes have entered the latest step.
    package var entered: Int { state.load(ordering: .sequentiallyConsistent) & 0xFFFF }

    /// How many lanes run the latest step; nil while more may enter.
    package var count: Int? {
        let state = state.load(ordering: .sequentiallyConsistent)
        return state & Self.open == 0 ? state & 0xFFFF : nil
    }

    /// Begins the next step, with the caller as lane 0.
    package func beginStep() {
        state.store((step + 1) << 17 | Self.open | 1, ordering: .sequentiallyConsistent)
    }

    /// Enters a step.
    ///
    /// - Returns: the lane's number; nil if the step is closed or over.
    package func enter(_ step: Int) -> Int? {
        var current = state.load(ordering: .relaxed)
        while current >> 17 == step, current & Self.open != 0 {
            let (exchanged, original) = state.weakCompareExchange(
                expected: current, desired: current + 1, ordering: .sequentiallyConsistent)
            if exchanged { return current & 0xFFFF }
            current = original
        }
        return nil
    }

    /// Closes the step, so that no more lanes can enter.
    ///
    /// - Returns: how many lanes have entered.
    package func close() -> Int {
        state.bitwiseAnd(~Self.open, ordering: .sequentiallyConsistent).oldValue & 0xFFFF
    }

    private static let open = 1 << 16
}
