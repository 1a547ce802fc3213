// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs work that Ctrl-C cancels.
///
/// The first Ctrl-C cancels the task and lets it clean up; a second one ends the process.
///
/// - Parameters:
///   - restore: called before the process is ended.
///   - work: what to run.
func cancellingOnInterrupt<Result: Sendable>(
    restore: @escaping @Sendable () -> Void = {}, _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let task = Task(operation: work)
    let count = InterruptCount()
    let watch = SignalWatch(SIGINT) {
        if count.next() == 1 {
            task.cancel()
        } else {
            restore()
            SignalWatch.exit(for: SIGINT)
        }
    }
    defer { withExtendedLifetime(watch) {} }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}

private final class InterruptCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
