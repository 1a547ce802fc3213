// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The clock, the time zone and the deadline of a rendering.
///
/// A rendering also ends when its task is cancelled.
public struct RenderingOptions: Sendable {
    /// The current time for `strftime_now`.
    public var now: @Sendable () -> Date
    /// The time zone of `strftime_now`.
    public var timeZone: TimeZone
    /// The latest time to finish; nil for none beside the template's limits.
    public var deadline: ContinuousClock.Instant?

    /// Makes options; by default the system's clock and zone, and no deadline.
    public init(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.now = now
        self.timeZone = timeZone
        self.deadline = deadline
    }
}
