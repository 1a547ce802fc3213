// SPDX-License-Identifier: Apache-2.0

/// The words of a language about time, as a table, so that a language can be added as data.
///
/// A phrase is one or more words; case and accents do not matter, and the longest matching phrase is used. A phrase may
/// have several meanings, of which the grammar chooses the one that fits its context: "second" is a unit and an ordinal
/// number. The grammar covers the word order of English, German, French and Spanish.
public struct DateLanguage: Sendable {
    /// A unit of time.
    public enum Unit: Hashable, Sendable { case second, minute, hour, day, workday, week, weekend, month, year }
    /// A part of the day.
    public enum Part: Hashable, Sendable { case morning, noon, afternoon, evening, night, midnight }
    /// Which of several periods or days: "this", "the coming one", "next", "the one after next", "last".
    public enum Which: Hashable, Sendable { case this, coming, next, afterNext, last }
    /// A position within a period.
    public enum Edge: Hashable, Sendable { case start, middle, end }

    /// A possible meaning of a phrase.
    public enum Meaning: Hashable, Sendable {
        /// A number in words, 0 to 60.
        case number(Int)
        /// "a", "an": one, before a unit only.
        case article
        /// "first", "second"; -1 is "last" where it counts from the end.
        case ordinal(Int)
        /// What follows digits to make them an ordinal number: "th".
        case ordinalSuffix
        case half, quarter
        /// A day counted from today, with a part of it in "tonight".
        case day(Int, Part?)
        /// 1 for Monday to 7 for Sunday.
        case weekday(Int)
        /// The plural or adverb that means each such day: "Mondays".
        case everyWeekday(Int)
        /// 1 to 12.
        case month(Int)
        /// A day of the year: month and day.
        case holiday(Int, Int)
        case unit(Unit)
        case part(Part)
        /// "mornings": each of them.
        case everyPart(Part)
        /// "a.m." is false, "p.m." true.
        case afternoonMark(Bool)
        case which(Which)
        case edge(Edge)
        /// "daily" is one day, "fortnightly" two weeks.
        case frequency(Int, Unit)
        /// "in", before an amount of time.
        case inside
        /// "ago", after an amount; "vor", "il y a", "hace" before it.
        case ago
        /// "from now", "later", after an amount.
        case later
        /// "after", "from": an amount, then this, then a day.
        case after
        /// "before": an amount, then this, then a day.
        case earlier
        case from, between, to, until, and, or
        /// "for", before an amount.
        case lasting
        /// Minutes past the hour, and before it.
        case past, before
        /// The next hour is meant, half an hour before it: German "halb".
        case halfTo
        /// "o'clock", after an hour.
        case oClock
        /// "at", before an hour.
        case at
        /// "on", "the", before a day of the month.
        case on
        /// "of", "in", between a place or ordinal and a period.
        case of
        case every, other, times, now, allDay
        /// A word that may stand between others and means nothing here.
        case filler
    }

    /// The language's code: "en".
    public let code: String
    /// Whether minutes follow the hour: "neuf heures et demie", "neun Uhr dreißig".
    public var minutesFollowHour = false
    /// Whether a point after digits makes them an ordinal number: "am 3."
    public var pointMakesOrdinal = false
    /// Words that are more often something else, and count only beside another word about time: "may".
    public var weak: Set<String> = []
    /// Abbreviations that in small letters are other words: "So" is Sunday in German, "so" is not.
    public var capitalised: Set<String> = []
    /// The longest phrase, in words and marks.
    private(set) var longest = 1
    private var phrases: [String: [Meaning]] = [:]

    /// Creates a language without words.
    public init(code: String) { self.code = code }

    /// Adds phrases, each as one string with commas between: `add("today", as: .day(0, nil))`.
    public mutating func add(_ list: String, as meanings: Meaning...) {
        for phrase in list.split(separator: ",") {
            let atoms = DateLexer.atoms(of: String(phrase)).map(\.folded)
            guard !atoms.isEmpty else { continue }
            longest = max(longest, atoms.count)
            phrases[atoms.joined(separator: " "), default: []] += meanings
        }
    }

    /// Adds phrases that count up from a number: one for each, the spellings of one with `|` between.
    public mutating func add(_ lists: [String], from first: Int = 1, as meaning: (Int) -> Meaning) {
        for (index, list) in lists.enumerated() {
            add(list.replacing("|", with: ","), as: meaning(first + index))
        }
    }

    /// The meanings of a phrase, given as folded words separated by spaces.
    func meanings(of phrase: String) -> [Meaning] { phrases[phrase] ?? [] }
}
