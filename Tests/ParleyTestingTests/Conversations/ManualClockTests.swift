// SPDX-License-Identifier: Apache-2.0

import ParleyTesting
import Testing

@Suite("ManualClock")
struct ManualClockTests {
    @Test("time passes where it is advanced, and wakes whose time has come")
    func advancing() async throws {
        let clock = ManualClock()
        let start = clock.now
        let sleeper = Task {
            try await clock.sleep(for: .seconds(5))
            return start.duration(to: clock.now)
        }
        await clock.sleeper()
        clock.advance(by: .seconds(4))
        #expect(start.duration(to: clock.now) == .seconds(4))
        clock.advance(by: .seconds(3))
        #expect(try await sleeper.value == .seconds(7))
        try await clock.sleep(until: start)
    }

    @Test("a task that is cancelled sleeps no longer")
    func cancelling() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.sleeper()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
