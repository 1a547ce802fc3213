// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock whose waits end immediately, and which records their durations. No other time passes.
package final class InstantClock: Clock {
    /// A point in time.
    package struct Instant: InstantProtocol {
        /// How much was waited before.
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let waits = Mutex<[Duration]>([])

    /// A clock at its beginning.
    package init() {}

    /// The waits, in order.
    package var durations: [Duration] { waits.withLock { $0 } }

    package var now: Instant { Instant(offset: durations.reduce(.zero, +)) }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        waits.withLock { waits in
            waits.append(deadline.offset - waits.reduce(.zero, +))
        }
    }
}
