// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar
import Testing

@Suite("Recurrence rules")
struct RecurrenceRuleTests {
    @Test(
        "Rules are read and written",
        arguments: [
            "FREQ=DAILY", "FREQ=WEEKLY;UNTIL=20261231T235959Z;INTERVAL=2;BYDAY=MO,WE;WKST=SU",
            "FREQ=YEARLY;COUNT=10;BYMONTH=1,3;BYDAY=-1FR,2MO", "FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU,WE,TH,FR",
            "FREQ=SECONDLY;BYSECOND=0,60;BYMINUTE=0;BYHOUR=23;BYMONTHDAY=-31,31;BYYEARDAY=-366;BYWEEKNO=53",
        ])
    func roundTrip(_ text: String) throws {
        let rule = try RecurrenceRule(parsing: text)
        #expect(rule.text == text)
        #expect(try RecurrenceRule(parsing: text.lowercased()) == rule)
    }

    @Test(
        "What RFC 5545 does not allow is refused",
        arguments: [
            "", "COUNT=2", "FREQ=FORTNIGHTLY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=2;UNTIL=20260101",
            "FREQ=DAILY;BYMONTHDAY=0", "FREQ=DAILY;BYMONTHDAY=32", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;BYDAY=54MO",
            "FREQ=DAILY;BYHOUR=24", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;BYMONTH", "FREQ=DAILY;BYEASTER=1",
            "FREQ=DAILY;COUNT=99999999999999999999", "FREQ=DAILY;UNTIL=tomorrow", "FREQ=DAILY;=", "==",
        ])
    func refused(_ text: String) {
        #expect(throws: CalendarError.self) { try RecurrenceRule(parsing: text) }
    }

    @Test("A day that a rule names again and again is compared with each date once")
    func repeatedDays() throws {
        let days = Array(repeating: "MO,1TU,-1TU", count: 1_000).joined(separator: ",")
        let rule = try RecurrenceRule(parsing: "FREQ=MONTHLY;BYDAY=\(days)")
        #expect(rule.text == "FREQ=MONTHLY;BYDAY=MO,1TU,-1TU")
    }
}
