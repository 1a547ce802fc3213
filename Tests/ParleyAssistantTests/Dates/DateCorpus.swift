// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// The phrases of `Goldens/dates.tsv` with what they mean.
///
/// A line that begins with `#` says when and where the phrases below it are said: local time, time zone, locale,
/// language. The other lines hold a phrase, its meaning and, where it has any, its first other meaning. They were written
/// by hand from the calendar.
struct DateCorpus {
    struct Phrase: CustomStringConvertible, Sendable {
        var text: String
        var meaning: String
        var other: String?
        var context: DateContext
        var language: DateLanguage
        var description: String { "“\(text)” on \(DateCorpus.text(context.now, context.clock))" }
    }

    /// All phrases of a corpus.
    static func phrases(in text: String) -> [Phrase] {
        var result: [Phrase] = []
        var said: (context: DateContext, language: DateLanguage)?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                said = context(line.dropFirst(2).split(separator: " ").map(String.init))
            } else if let said {
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                guard fields.count > 1 else { continue }
                result.append(
                    Phrase(
                        text: fields[0], meaning: fields[1], other: fields.count > 2 ? fields[2] : nil,
                        context: said.context, language: said.language))
            }
        }
        return result
    }

    static func context(_ fields: [String]) -> (DateContext, DateLanguage)? {
        guard fields.count == 4, let zone = TimeZone(identifier: fields[1]) else { return nil }
        let languages: [String: DateLanguage] = [
            "en": .english, "de": .german, "fr": .french, "es": .spanish,
        ]
        let parts = fields[0].split { "-T:".contains($0) }.compactMap { Int($0) }
        guard parts.count == 5, let language = languages[fields[3]],
            let day = CivilDate(year: parts[0], month: parts[1], day: parts[2]),
            let time = LocalTime(hour: parts[3], minute: parts[4])
        else { return nil }
        let now = LocalClock(zone).instant(day, time)
        return (DateContext(now: now, timeZone: zone, locale: Locale(identifier: fields[2])), language)
    }

    /// A local time; `b` follows where clocks show it for the second time.
    static func text(_ instant: Date, _ clock: LocalClock) -> String {
        let (day, time) = (clock.day(of: instant), clock.time(of: instant))
        let isSecond = if case .twice(_, instant) = clock.reading(of: time, on: day) { true } else { false }
        return "\(day)T\(time)\(isSecond ? "b" : "")"
    }

    static func text(_ value: DateResolution.Value, _ clock: LocalClock) -> String {
        switch value {
        case .instant(let instant): return text(instant, clock)
        case .interval(let interval): return "\(text(interval.start, clock))/\(text(interval.end, clock))"
        case .days(let days):
            return days.count == 1 ? "\(days.lowerBound)" : "\(days.lowerBound)..\(days.upperBound)"
        case .duration(let length):
            let date = (length.months == 0 ? "" : "\(length.months)M") + (length.days == 0 ? "" : "\(length.days)D")
            return "P\(date)\(length.seconds == 0 ? "" : "T\(length.seconds)S")"
        }
    }

    static func text(_ resolution: DateResolution?, _ clock: LocalClock) -> String {
        guard let resolution else { return "-" }
        let value = text(resolution.value, clock)
        return resolution.recurrence.map { "\(value) R \(text($0))" } ?? value
    }

    static func text(_ rule: Recurrence) -> String {
        var result = "\(rule.frequency.rawValue)\(rule.interval == 1 ? "" : "/\(rule.interval)")"
        let days = rule.weekdays.map { "\(rule.ordinal.map(String.init) ?? "")\($0.code)" }
        if !days.isEmpty { result += " \(days.joined(separator: ","))" }
        if let until = rule.until { result += " until \(until)" }
        if let count = rule.count { result += " x\(count)" }
        return result
    }
}
