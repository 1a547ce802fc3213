// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyRuntime
    import Synchronization

    /// Aborts the batch that llama.cpp is running if all tasks that wait for it have been cancelled.
    ///
    /// `@unchecked Sendable`: the memory at `abort` is accessed atomically, by functions of the C target.
    final class RunningBatch: @unchecked Sendable {
        /// A flag that llama.cpp reads while a batch runs.
        let abort: UnsafeMutablePointer<UInt8>
        /// The cancellation flags of the jobs in the batch.
        private let waiting = Mutex<[Cancellation]>([])

        init() {
            abort = .allocate(capacity: 1)
            abort.initialize(to: 0)
        }

        deinit {
            abort.deallocate()
        }

        /// Runs a batch, which is aborted if all of these jobs are cancelled, or have been just now.
        func run<Result>(for jobs: [StepJob<LlamaCppSequence>], _ body: () throws -> Result) rethrows -> Result {
            waiting.withLock { waiting in
                parley_llama_set_abort(abort, false)
                waiting = jobs.map(\.cancellation)
            }
            defer { waiting.withLock { $0.removeAll() } }
            // When they were cancelled before, there was nothing to abort.
            noticeCancellation()
            return try body()
        }

        /// Aborts the batch if all of its jobs are cancelled; may be called on any thread.
        func noticeCancellation() {
            waiting.withLock { waiting in
                if !waiting.isEmpty, waiting.allSatisfy(\.isSet) { parley_llama_set_abort(abort, true) }
            }
        }
    }
#endif
