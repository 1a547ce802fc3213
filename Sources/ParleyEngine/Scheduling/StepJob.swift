// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Synchronization

/// A timeline's request for a step, and how far it has come.
///
/// `@unchecked Sendable`: after it was submitted only the scheduler's thread touches it, but for the atomic flag.
final class StepJob: @unchecked Sendable {
    let timeline: NativeTimeline
    let tokens: [TokenID]
    let positions: TimelineStep.Positions
    let output: LogitRows
    let continuation: CheckedContinuation<Void, any Error>
    /// How many of the tokens have been run.
    var done = 0

    init(
        timeline: NativeTimeline, tokens: [TokenID], positions: TimelineStep.Positions, output: LogitRows,
        cancellation: Cancellation, continuation: CheckedContinuation<Void, any Error>
    ) {
        self.timeline = timeline
        self.tokens = tokens
        self.positions = positions
        self.output = output
        self.cancellation = cancellation
        self.continuation = continuation
    }

    /// Set by the task that waits for the step.
    final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)

        var isSet: Bool { flag.load(ordering: .relaxed) }

        func set() { flag.store(true, ordering: .relaxed) }
    }

    private let cancellation: Cancellation

    var isCancelled: Bool { cancellation.isSet }
    var remaining: Int { tokens.count - done }

    /// The row of the output for one of the tokens, if its logits are asked for.
    func outputRow(of token: Int) -> Int? {
        switch positions {
        case .none: nil
        case .last: token == tokens.count - 1 ? 0 : nil
        case .all: token
        }
    }
}
