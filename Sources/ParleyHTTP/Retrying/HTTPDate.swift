// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A date as heads of HTTP write it (RFC 9110, 5.6.7): in the form of today and in the two that are out of use.
enum HTTPDate {
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
}
