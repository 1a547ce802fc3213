// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The steps that a model has run since it was loaded.
package struct StepFigures: Hashable, Sendable {
    /// The number of steps.
    package var steps = 0
    /// The number of rows in all steps.
    package var rows = 0
    /// How long all steps have taken.
    package var time = Duration.zero

    /// Creates the figures of no step.
    package init() {}
}

/// Counts the steps of a model: written by its thread, read by any.
final class StepTally: Sendable {
    /// No other lock is taken while this one is held.
    private let state = Mutex(StepFigures())

    /// What has been counted.
    var figures: StepFigures { state.withLock { $0 } }

    /// Counts a step.
    func add(rows: Int, time: Duration) {
        state.withLock { figures in
            figures.steps += 1
            figures.rows += rows
            figures.time += time
        }
    }
}
