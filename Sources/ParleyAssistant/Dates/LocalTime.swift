// SPDX-License-Identifier: Apache-2.0

/// A time of the day as clocks show it, without a time zone.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// The seconds since midnight, 0 to 86,400; 86,400 is midnight at the end of the day.
    public var seconds: Int

    /// Creates the time of an hour, a minute and a second; nil if there is no such time.
    public init?(hour: Int, minute: Int = 0, second: Int = 0) {
        guard (0...24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            hour < 24 || (minute == 0 && second == 0)
        else { return nil }
        seconds = hour * 3600 + minute * 60 + second
    }

    /// Creates the time a number of seconds after midnight, limited to the day.
    public init(seconds: Int) { self.seconds = min(max(seconds, 0), 86_400) }

    /// The hour, 0 to 24.
    public var hour: Int { seconds / 3600 }
    /// The minute, 0 to 59.
    public var minute: Int { seconds / 60 % 60 }

    /// Whether a time is earlier than another.
    public static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }

    static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension LocalTime: CustomStringConvertible {
    /// The time in ISO 8601 format, such as `15:30`, with seconds unless they are zero.
    public var description: String {
        let text = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2))"
        return seconds % 60 == 0 ? text : text + ":\(Self.padded(seconds % 60, 2))"
    }
}
