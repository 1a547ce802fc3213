// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation
    import ParleySystem
    import Synchronization

    /// Runs work for a model one after the other, each on a thread of its own that may block.
    final class Turns: Sendable {
        private let state = Mutex<(isTaken: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

        /// Runs work when all before it has ended.
        func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    defer { state.isTaken = true }
                    if state.isTaken { state.waiting.append(continuation) }
                    return !state.isTaken
                }
                if isFree { continuation.resume() }
            }
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

        private func end() {
            let next = state.withLock { state in
                if state.waiting.isEmpty { state.isTaken = false }
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            next?.resume()
        }
    }
#endif
