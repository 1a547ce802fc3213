// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a rendering takes from its surroundings.
///
/// A rendering also ends where the task that it runs in is cancelled.
public struct RenderingOptions: Sendable {
    /// The clock behind `strftime_now`.
    public var now: @Sendable () -> Date
    /// The zone in which `strftime_now` tells the time.
    public var timeZone: TimeZone
    /// When to give up; nil leaves it to the template's limits.
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
