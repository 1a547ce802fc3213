// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension HTTPHeaders {
    /// How long the server asks to wait before the next request (`Retry-After`), in seconds or until a date; nil if it
    /// does not say. Never less than zero or more than a million seconds.
    ///
    /// A date is compared with that of the answer, since the clocks of two machines differ.
    package func requestedWait(now: Date = Date()) -> Duration? {
        guard let text = self["retry-after"] else { return nil }
        if let seconds = Double(text) {
            return seconds.isFinite && seconds >= 0 ? .seconds(min(seconds, 1e6)) : nil
        }
        guard let date = HTTPDate.date(text) else { return nil }
        let from = self["date"].flatMap(HTTPDate.date) ?? now
        return .seconds(min(max(date.timeIntervalSince(from), 0), 1e6))
    }
}
