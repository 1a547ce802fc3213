// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("What people say about time")
struct DateResolverTests {
    static func corpus() throws -> [DateCorpus.Phrase] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Goldens/dates.tsv")
        return DateCorpus.phrases(in: try String(contentsOf: file, encoding: .utf8))
    }

    static func context(_ now: String = "2026-11-18T14:00", _ zone: String = "Europe/Berlin") throws -> DateContext {
        try #require(DateCorpus.context([now, zone, "en_GB", "en"])).0
    }

    @Test("Each phrase of the corpus means what the calendar says, in its own language and among all")
    func corpusPhrases() throws {
        let phrases = try Self.corpus()
        #expect(phrases.count >= 300)
        for phrase in phrases {
            for languages in [[phrase.language], [.english, .german, .french, .spanish]] {
                let found = DateResolver(languages: languages).resolve(phrase.text, in: phrase.context)
                let clock = phrase.context.clock
                #expect(DateCorpus.text(found, clock) == phrase.meaning, "\(phrase)")
                if languages.count == 1 {
                    #expect(found?.alternatives.first.map { DateCorpus.text($0, clock) } == phrase.other, "\(phrase)")
                }
            }
        }
    }

    @Test("What was assumed and which words were used are told")
    func assumptions() throws {
        let context = try Self.context()
        let text = "Lunch with Anna tomorrow at the cafe at 3"
        let found = try #require(DateResolver().resolve(text, in: context))
        #expect(found.used.map { String(text[$0]) } == ["tomorrow", "at 3"])
        #expect(found.assumptions == [.halfOfDay])
        let dates: [(String, [DateResolution.Assumption])] = [
            ("on the 3rd", [.month]), ("3 March", [.year]), ("next Friday", [.week]), ("3/12/2026", [.order]),
            ("tomorrow at 16:00", []), ("Friday 12:00", []),
            ("at 4 pm", [.day]), ("tomorrow morning", [.partOfDay]),
            ("end of the week", [.endOfWeek]), ("until 5 pm", [.day, .now]), ("Monday 3 March 2027", [.weekday]),
        ]
        for (text, assumptions) in dates {
            #expect(DateResolver().resolve(text, in: context)?.assumptions == assumptions, "\(text)")
        }
    }

    @Test(
        "Several days every other week are those of one week of the user, and a weekend is whole",
        arguments: [
            ("every other Sunday and Monday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU"),
            ("every other Saturday and Sunday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU"),
            ("every other Sunday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU"),
            ("every Sunday and Monday", "FREQ=WEEKLY;BYDAY=MO,SU"),
        ])
    func weekStart(words: String, rule: String) throws {
        var context = try Self.context()
        context.firstWeekday = .sunday
        let found = try #require(DateResolver().resolve(words, in: context)?.recurrence)
        let start = CalendarTime.date(context.clock.day(of: context.now))
        #expect(found.rule(from: start, clock: .utc).text == rule)
    }

    @Test(
        "A place in the month is one among all days that are named",
        arguments: [
            ("the last working day of every month", "FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU,WE,TH,FR"),
            ("every first day of the month", "FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
            ("the second Tuesday of every month", "FREQ=MONTHLY;BYDAY=2TU"),
        ])
    func places(words: String, rule: String) throws {
        let context = try Self.context()
        let found = try #require(DateResolver().resolve(words, in: context)?.recurrence)
        let start = CalendarTime.date(context.clock.day(of: context.now))
        #expect(found.rule(from: start, clock: .utc).text == rule)
    }

    @Test("Times that clocks skip or show twice are told")
    func daylightSaving() throws {
        let spring = DateResolver().resolve("tomorrow at 2:30 am", in: try Self.context("2027-03-27T12:00"))
        #expect(spring?.assumptions == [.skippedTime])
        let autumn = try #require(
            DateResolver().resolve("tomorrow at 2:30 am", in: try Self.context("2027-10-30T12:00")))
        #expect(autumn.assumptions == [.repeatedTime])
        guard case .instant(let first) = autumn.value, case .instant(let second)? = autumn.alternatives.first else {
            Issue.record("no two instants")
            return
        }
        #expect(second.timeIntervalSince(first) == 3600)
    }

    @Test("An end without a day comes after its start")
    func ends() throws {
        let context = try Self.context()
        let start = context.clock.instant(context.clock.day(of: context.now) + 2, LocalTime(seconds: 15 * 3600))
        let ends = [("4 pm", "2026-11-20T16:00"), ("16:30", "2026-11-20T16:30"), ("2 pm", "2026-11-21T14:00")]
        for (text, expected) in ends {
            let found = DateResolver().resolve(text, in: context, after: start)
            #expect(DateCorpus.text(found, context.clock) == expected)
        }
    }

    @Test(
        "A stretch that is moved to the calendar's first or last month has its end not before its start",
        arguments: [
            ("9999 years after the next 30 days", "2026-11-18T14:00", "9999-12-18"),
            ("9999 years before next week", "2026-11-25T14:00", "0001-01-30"),
        ])
    func movedStretch(_ words: String, _ now: String, _ expected: String) throws {
        let context = try Self.context(now)
        #expect(DateCorpus.text(DateResolver().resolve(words, in: context), context.clock) == expected)
    }

    @Test("Any text is read without a trap, and no more of it than the limit")
    func untrusted() throws {
        var random = SplitMix64(seed: 7)
        let phrases = try Self.corpus()
        let pieces =
            phrases.flatMap { $0.text.split(separator: " ").map(String.init) } + [
                "9999", "0", "-", "/", ".", ":", "99999999999999999999", "9999-12-31", "é", "👩‍👩‍👧", "\u{0}", "every",
                "for", "from",
            ]
        let contexts = try [Self.context(), Self.context("9999-12-31T23:00"), Self.context("0001-01-01T00:30")]
        for round in 0..<4000 {
            let words = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            let text = words.joined(separator: Bool.random(using: &random) ? " " : "")
            let found = DateResolver().resolve(text, in: contexts[round % contexts.count])
            for range in found?.used ?? [] { #expect(!text[range].isEmpty) }
        }
        let long = String(repeating: "from Monday to ", count: 5000) + "tomorrow"
        _ = DateResolver().resolve(long, in: contexts[0])
        #expect(DateResolver().resolve(String(repeating: "x ", count: 300) + "tomorrow", in: contexts[0]) == nil)
    }
}
