// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyRuntime
    import Synchronization

    /// Ends the batch that llama.cpp is running where nobody waits for it any more.
    ///
    /// `@unchecked Sendable`: what `abort` points to is written by llama.cpp's own functions, atomically.
    final class RunningBatch: @unchecked Sendable {
        /// Read by llama.cpp while a batch runs.
        let abort: UnsafeMutablePointer<UInt8>
        /// Who waits for the batch.
        private let waiting = Mutex<[Cancellation]>([])

        init() {
            abort = .allocate(capacity: 1)
            abort.initialize(to: 0)
        }

        deinit {
            abort.deallocate()
        }

        /// Runs a batch for some jobs.
        func run<Result>(for jobs: [StepJob<LlamaCppSequence>], _ body: () throws -> Result) rethrows -> Result {
            waiting.withLock { waiting in
                parley_llama_set_abort(abort, false)
                waiting = jobs.map(\.cancellation)
            }
            defer { waiting.withLock { $0.removeAll() } }
            return try body()
        }

        /// Ends the batch if all its jobs are cancelled; from any thread.
        func noticeCancellation() {
            waiting.withLock { waiting in
                if !waiting.isEmpty, waiting.allSatisfy(\.isSet) { parley_llama_set_abort(abort, true) }
            }
        }
    }
#endif
