// SPDX-License-Identifier: Apache-2.0

import ParleyTesting
import Testing

@Suite("Gate", .timeLimit(.minutes(15)))
struct GateTests {
    @Test("tasks wait until it is opened, and none that comes later does")
    func opening() async throws {
        let gate = Gate()
        let tasks = (0..<3).map { _ in Task { try await gate.wait() } }
        await gate.arrival()
        gate.open()
        for task in tasks { try await task.value }
        try await gate.wait()
    }

    @Test("a task that is cancelled waits no longer, whether it has arrived or not; others go on waiting")
    func cancelling() async throws {
        let gate = Gate()
        let waiting = Task { try await gate.wait() }
        let cancelled = Task { try await gate.wait() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        gate.open()
        try await waiting.value
    }
}
