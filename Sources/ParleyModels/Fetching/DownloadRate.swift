// SPDX-License-Identifier: Apache-2.0

/// How fast a download is, and how long it will take still.
package struct DownloadRate: Sendable {
    private let started: ContinuousClock.Instant
    private let present: Int64
    private var received: Int64
    private var elapsed = Duration.zero

    /// Begins now. The bytes that were `present` before do not count.
    package init(present: Int64 = 0, now: ContinuousClock.Instant) {
        (self.present, received, started) = (present, present, now)
    }

    /// So many bytes have come, those that were present included.
    package mutating func update(received: Int64, now: ContinuousClock.Instant) {
        self.received = max(received, present)
        elapsed = started.duration(to: now)
    }

    /// The bytes in a second; nil while too few have come to tell.
    ///
    /// - Parameter total: the size of the whole download; 0 where it is unknown.
    /// - Returns: the rate.
    package func bytesPerSecond(of total: Int64) -> Double? {
        let fetched = received - present
        guard elapsed > .milliseconds(500), fetched > 0 else { return nil }
        // The first bytes are too few to estimate the rate.
        if total > 0, Double(fetched) * 200 <= Double(total) - Double(present) { return nil }
        return Double(fetched) / (elapsed / .seconds(1))
    }

    /// The seconds until all has come; nil where that is not known.
    ///
    /// - Parameter total: the size of the whole download; 0 where it is unknown.
    /// - Returns: the time.
    package func secondsLeft(of total: Int64) -> Double? {
        guard total > 0, let rate = bytesPerSecond(of: total) else { return nil }
        return (Double(total) - Double(min(received, total))) / rate
    }
}
