// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The clock, the time zone and the deadline of a rendering.
///
/// A rendering also ends when its task is cancelled.
package struct RenderingOptions: Sendable {
    /// The current time for `strftime_now`.
    package var now: @Sendable () -> Date
    /// The time zone of `strftime_now`.
    package var timeZone: TimeZone
    /// The latest time to finish; nil for none beside the template's limits.
    package var deadline: ContinuousClock.Instant?

    /// Makes options; by default the system's clock and zone, and no deadline.
    package init(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.now = now
        self.timeZone = timeZone
        self.deadline = deadline
    }
}
