// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyRuntime
    import ParleyTokenizer
    import Synchronization

    /// A timeline's request for a step, and its progress.
    ///
    /// `@unchecked Sendable`: after it was submitted only the model's thread uses it, except the atomic flag.
    final class LlamaCppJob: @unchecked Sendable {
        let timeline: LlamaCppTimeline
        let output: LogitRows
        let continuation: CheckedContinuation<Void, any Error>
        /// The tokens to run: those that the timeline holds but llama.cpp has lost, then those that the step appends.
        private(set) var tokens: [TokenID]
        /// How many of the tokens have been run.
        var done = 0

        private let positions: TimelineStep.Positions
        /// How many of the tokens were lost before, and so are not the step's own.
        private var restored = 0

        init(
            timeline: LlamaCppTimeline, tokens: [TokenID], positions: TimelineStep.Positions, output: LogitRows,
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
        /// How many tokens are left before the next image.
        var remainingText: Int { (tokens[done...].firstIndex { $0 < 0 } ?? tokens.count) - done }
        /// The id of the image that is next, if any.
        var nextImage: TokenID? { remaining > 0 && tokens[done] < 0 ? tokens[done] : nil }

        /// Puts lost tokens before the remaining ones, to be run again.
        func restore(_ lost: [TokenID]) {
            tokens = lost + tokens[done...]
            restored += lost.count - done
            done = 0
        }

        /// The row of the output for one of the tokens, if its logits are asked for.
        func outputRow(of token: Int) -> Int? {
            switch positions {
            case .none: nil
            case .last: token == tokens.count - 1 ? 0 : nil
            case .all: token >= restored ? token - restored : nil
            }
        }
    }
#endif
