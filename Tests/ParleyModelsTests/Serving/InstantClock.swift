// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock whose waits end immediately, and which records their durations.
final class InstantClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let waits = Mutex<[Duration]>([])

    /// The waits, in order.
    var durations: [Duration] { waits.withLock { $0 } }

    var now: Instant { Instant(offset: durations.reduce(.zero, +)) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        waits.withLock { waits in
            waits.append(deadline.offset - waits.reduce(.zero, +))
        }
    }
}
