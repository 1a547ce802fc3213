// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import Testing

@Suite("ReminderWatch")
struct ReminderWatchTests {
    @Test("What passes while the machine sleeps is told afterwards, and a clock that was set back is followed")
    func clock() {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        var last = start
        // Asleep for ten hours.
        #expect(ReminderWatch.span(from: &last, to: start + 36_000) == start..<(start + 36_000))
        // The clock is corrected by a second: nothing is told twice.
        #expect(ReminderWatch.span(from: &last, to: start - 1) == nil && last == start)
        // It was a year ahead when the watch began.
        let now = start - 365 * 86_400
        #expect(ReminderWatch.span(from: &last, to: now) == nil)
        #expect(ReminderWatch.span(from: &last, to: now + 30) == now..<(now + 30))
    }
}
