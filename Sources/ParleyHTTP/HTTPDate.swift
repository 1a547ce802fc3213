// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Dates as heads of HTTP have them ([RFC 9110, 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)): written in
/// the form of today, and read also in the two that are out of use.
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    /// Reads a date; nil if the text is none.
    static func date(_ text: String) -> Date? {
        // None is longer or has other characters. The text comes from outside, and Foundation's formatter ends the process
        // at one that begins with a combining mark.
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for form in forms {
            formatter.dateFormat = form
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }

    /// The present time as text.
    package static var now: String { text(of: time(nil)) }

    /// The text of a time in seconds since 1970.
    package static func text(of seconds: time_t) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
        return "\(day), \(two(parts.tm_mday)) \(month) \(1_900 + Int(parts.tm_year)) \(clock) GMT"
    }
}
