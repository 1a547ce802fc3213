// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar
import Testing

@Suite("The times of rules")
struct RuleTimesTests {
    private func times(_ rule: String, from start: String, _ count: Int) throws -> [String] {
        let start = try #require(CalendarTime(start))
        let rule = try RecurrenceRule(parsing: rule)
        return RuleTimes(rule, start: start.civil, isDate: start.isDate).prefix(count).map { start.with($0).text }
    }

    @Test(
        "The examples of RFC 5545",
        arguments: [
            ("FREQ=DAILY;INTERVAL=10;COUNT=3", "19970902", "19970902 19970912 19970922"),
            ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH", "19970902", "19970902 19970904 19970916 19970918"),
            ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "19970805", "19970805 19970810 19970819 19970824"),
            ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "19970805", "19970805 19970817 19970819 19970831"),
            ("FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", "19970922", "19970922 19971020 19971117 19971222 19980119 19980216"),
            ("FREQ=MONTHLY;BYMONTHDAY=-3", "19970928", "19970928 19971029 19971128 19971229 19980129 19980226"),
            ("FREQ=MONTHLY;COUNT=4;BYMONTHDAY=15,30", "20070115", "20070115 20070130 20070215 20070315"),
            ("FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200", "19970101", "19970101 19970410 19970719 20000101 20000409"),
            ("FREQ=YEARLY;BYDAY=20MO", "19970519", "19970519 19980518 19990517"),
            ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "19970512", "19970512 19980511 19990517"),
            ("FREQ=YEARLY;BYWEEKNO=20", "19970512", "19970512 19980511 19990517"),
            ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "19980213", "19980213 19980313 19981113 19990813 20001013"),
            (
                "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "19961105",
                "19961105 20001107 20041102"
            ),
            ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "19970904", "19970904 19971007 19971106"),
            ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "19970929", "19970929 19971030 19971127 19971230"),
            ("FREQ=YEARLY", "20240229", "20240229 20280229 20320229"),
            (
                "FREQ=HOURLY;INTERVAL=3;COUNT=3", "19970902T090000",
                "19970902T090000 19970902T120000 19970902T150000"
            ),
            (
                "FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,40;COUNT=5", "19970902T090000",
                "19970902T090000 19970902T094000 19970902T100000 19970902T104000 19970903T090000"
            ),
            (
                "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9", "19970902T092000",
                "19970902T092000 19970902T094000 19970903T090000 19970903T092000"
            ),
            ("FREQ=SECONDLY;BYSECOND=60;BYMINUTE=59", "19970902T000000", "19970902T005959 19970902T015959"),
        ])
    func examples(_ rule: String, _ start: String, _ expected: String) throws {
        let expected = expected.split(separator: " ").map(String.init)
        #expect(try times(rule, from: start, expected.count) == expected)
    }

    @Test("Positions in a week are counted from its beginning, though the series begins within it")
    func firstWeek() throws {
        #expect(try times("FREQ=WEEKLY;BYDAY=TU,SU;BYSETPOS=1", from: "20270325", 2) == ["20270330", "20270406"])
    }

    @Test(
        "A rule that never yields ends",
        arguments: [
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31",
            "FREQ=WEEKLY;BYMONTHDAY=-31;BYMONTH=4",
            "FREQ=SECONDLY;INTERVAL=2;BYSECOND=1", "FREQ=MINUTELY;INTERVAL=1440;BYHOUR=5",
            "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=40",
            "FREQ=SECONDLY;INTERVAL=1000000000;BYMONTHDAY=30;BYMONTH=2", "FREQ=HOURLY;BYYEARDAY=366;BYMONTH=1",
        ])
    func barren(_ rule: String) throws {
        #expect(try times(rule, from: "20260101T000000", 1).isEmpty)
    }

    @Test("A rule without an end ends with the year 9999")
    func lastYear() throws {
        #expect(try times("FREQ=YEARLY", from: "99980101", 5) == ["99980101", "99990101"])
        #expect(try times("FREQ=SECONDLY;INTERVAL=1000000000", from: "99000101T000000", 9).count == 4)
    }

    @Test("What is before the range is passed over, wherever the series began")
    func earliest() throws {
        let start = try #require(CalendarTime("19000101T000000")).civil
        let earliest = try #require(CalendarTime("20260115T000000")).civil
        for text in [
            "FREQ=SECONDLY;INTERVAL=7", "FREQ=HOURLY;INTERVAL=5;BYDAY=MO", "FREQ=DAILY;INTERVAL=3",
            "FREQ=WEEKLY;INTERVAL=2;WKST=WE",
            "FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=-1", "FREQ=YEARLY;INTERVAL=4;BYDAY=-1MO",
            "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1",
        ] {
            let rule = try RecurrenceRule(parsing: text)
            let skipped = RuleTimes(rule, start: start, earliest: earliest).prefix(20)
            let near =
                rule.frequency == .secondly
                ? CivilTime(seconds: earliest.seconds - (earliest.seconds - start.seconds) % 7) : start
            let all = RuleTimes(rule, start: near).lazy.filter { $0 >= earliest }.prefix(20)
            #expect(Array(skipped) == Array(all), "\(text)")
        }
    }
}
