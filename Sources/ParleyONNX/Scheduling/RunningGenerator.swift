// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import ParleyRuntime
    import Synchronization

    /// Ends the step that ONNX Runtime is running if the task that waits for it has been cancelled.
    final class RunningGenerator: Sendable {
        private struct Step {
            let generator: ONNXGenerator
            let cancellation: Cancellation
            var isInterrupted = false
        }

        private let running = Mutex<Step?>(nil)

        /// Runs a step, which ends early if its job is cancelled.
        func run(_ generator: ONNXGenerator, for cancellation: Cancellation, _ body: () throws -> Void) throws {
            running.withLock { $0 = Step(generator: generator, cancellation: cancellation) }
            let outcome = Result(catching: body)
            let isInterrupted = running.withLock { step in
                defer { step = nil }
                return step?.isInterrupted ?? false
            }
            // Even where the step had ended by then, for the next one would not run.
            if isInterrupted { try generator.resume() }
            try outcome.get()
        }

        /// Ends the step if its job is cancelled; may be called on any thread.
        func noticeCancellation() {
            running.withLock { step in
                guard let generator = step?.generator, step?.cancellation.isSet == true else { return }
                step?.isInterrupted = true
                generator.interrupt()
            }
        }
    }
#endif
