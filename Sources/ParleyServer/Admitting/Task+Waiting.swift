// SPDX-License-Identifier: Apache-2.0

extension Task where Failure == any Error {
    /// What the task yields, for one of several who wait: the task goes on if this one is cancelled.
    ///
    /// - Throws: what the task throws; `CancellationError` if whoever waits is cancelled first.
    func valueUnlessCancelled() async throws -> Success {
        let (end, continuation) = AsyncStream<Void>.makeStream()
        Task<Void, Never> {
            _ = await result
            continuation.finish()
        }
        for await _ in end {}
        try Task<Never, Never>.checkCancellation()
        return try await value
    }
}
