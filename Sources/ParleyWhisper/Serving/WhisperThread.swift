// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import ParleySystem
import Synchronization

/// The thread of a loaded model, which does one job after another.
final class WhisperThread: Sendable {
    private struct State: ~Copyable {
        var jobs: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private final class Queue: Sendable {
        let state = Mutex(State())
        let sleeper = Sleeper()

        func work() {
            TimeSlices.askForShort()
            while true {
                sleeper.wait { state.withLock { !$0.jobs.isEmpty || $0.isStopping } }
                guard let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return }
                job()
            }
        }
    }

    private let queue = Queue()

    /// Starts the thread.
    ///
    /// - Throws: `SpeechError` if the system gives none.
    init() throws(SpeechError) {
        let queue = queue
        guard startThread({ queue.work() }) else {
            throw SpeechError(.transcriptionFailed, "The system gave no thread. Close other programs and try again.")
        }
    }

    /// Ends the thread after the jobs that it has.
    deinit {
        queue.state.withLock { $0.isStopping = true }
        queue.sleeper.wake()
    }

    /// Does a job after those before it, and waits for its result.
    ///
    /// - Parameter job: is given what throws `CancellationError` once the task is cancelled.
    /// - Returns: what the job returns.
    /// - Throws: what the job throws; `CancellationError`.
    func run<Value: Sendable>(
        _ job: @escaping @Sendable (_ check: @escaping () throws -> Void) throws -> Value
    ) async throws -> Value {
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.state.withLock { state in
                    state.jobs.append {
                        let check = { if cancellation.isSet { throw CancellationError() } }
                        continuation.resume(
                            with: Result { () throws -> Value in
                                try check()
                                return try job(check)
                            })
                    }
                }
                queue.sleeper.wake()
            }
        } onCancel: {
            cancellation.set()
        }
    }
}

/// Whether a task was cancelled.
private final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
