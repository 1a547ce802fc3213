// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Handles Ctrl-C by calling the innermost active handler.
final class Interrupts: Sendable {
    private struct State {
        var handlers: [(id: Int, handler: @Sendable () -> Void)] = []
        var nextID = 0
        var watch: SignalWatch?
    }

    /// The only instance, because signals belong to the process.
    static let shared = Interrupts()

    private let state = Mutex(State())

    /// Runs work in a task that Ctrl-C cancels. A second Ctrl-C, while the work cleans up, calls `restore` and ends the
    /// process.
    func cancelling<Result: Sendable>(
        restore: @escaping @Sendable () -> Void = {}, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task(operation: work)
        return try await handling({
            if task.isCancelled {
                restore()
                SignalWatch.exit(for: SIGINT)
            }
            task.cancel()
        }) {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Runs work, on the caller's actor, during which Ctrl-C calls `handler`.
    func handling<Result: Sendable>(
        _ handler: @escaping @Sendable () -> Void, isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> Result {
        let id = add(handler)
        defer { state.withLock { $0.handlers.removeAll { $0.id == id } } }
        return try await work()
    }

    private func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.watch = state.watch ?? SignalWatch(SIGINT) { self.interrupt() }
            state.nextID += 1
            state.handlers.append((state.nextID, handler))
            return state.nextID
        }
    }

    private func interrupt() {
        guard let handler = state.withLock({ $0.handlers.last?.handler }) else { SignalWatch.exit(for: SIGINT) }
        handler()
    }
}
