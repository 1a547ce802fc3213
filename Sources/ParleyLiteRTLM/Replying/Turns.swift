// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation
    import ParleySystem
    import Synchronization

    /// Runs work for a model one after the other, each on a thread of its own that may block.
    final class Turns: Sendable {
        private struct State {
            var isTaken = false
            /// How often somebody has asked for a turn.
            var asked = 0
            var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        }

        /// No other lock is taken while this one is held: continuations are resumed after its release.
        private let state = Mutex(State())

        /// Runs work when all before it has ended.
        ///
        /// - Throws: any error of the work; `CancellationError` if the task is cancelled before its turn has come.
        func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await begin()
            return try await withCheckedThrowingContinuation { continuation in
                let started = startThread { [self] in
                    let result = Result(catching: body)
                    end()
                    continuation.resume(with: result)
                }
                guard !started else { return }
                end()
                continuation.resume(
                    throwing: ConversationError(
                        .generationFailed, "The system gave the engine no thread. Close other programs and try again."))
            }
        }

        private func begin() async throws {
            let number = state.withLock { state in
                state.asked += 1
                return state.asked
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let outcome = state.withLock { state -> Result<Void, any Error>? in
                        if Task.isCancelled { return .failure(CancellationError()) }
                        if state.isTaken {
                            state.waiting.append((number, continuation))
                            return nil
                        }
                        state.isTaken = true
                        return .success(())
                    }
                    if let outcome { continuation.resume(with: outcome) }
                }
            } onCancel: {
                let waiter = state.withLock { state in
                    state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
                }
                waiter?.resume(throwing: CancellationError())
            }
        }

        private func end() {
            let next = state.withLock { state in
                if state.waiting.isEmpty { state.isTaken = false }
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst().continuation
            }
            next?.resume()
        }
    }
#endif
