// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a rendering takes from its surroundings.
public struct RenderingOptions: Sendable {
    /// The clock behind `strftime_now`.
    public var now: @Sendable () -> Date
    /// The zone in which `strftime_now` tells the time.
    public var timeZone: TimeZone

    /// Makes options; by default the system's clock and zone.
    public init(now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current) {
        self.now = now
        self.timeZone = timeZone
    }
}
