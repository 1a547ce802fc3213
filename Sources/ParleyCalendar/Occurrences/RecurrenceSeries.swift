// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The items with the same UID: a recurring item, and the overrides of one occurrence or of all from one on.
struct RecurrenceSeries<Item: CalendarItem> {
    /// An item with its start and length as numbers.
    private struct Form {
        var item: Item
        var span: ItemSpan
        /// Its start on its own clock.
        var civil: Int
        /// From start to end in exact seconds; without a zone, in those that a clock on the wall shows.
        var length: Int
    }

    /// An override of all occurrences from a given one on.
    private struct LaterForm {
        var key: Int
        var form: Form
        /// The number of seconds by which it moves occurrences, on the clock of the series.
        var shift: Int
    }

    private let itemKey: String
    private let zones: ZoneTable
    /// How many days and times the rules may examine.
    private let most: Int
    private var master: Form?
    private var overrides: [Int: Form] = [:]
    private var later: [LaterForm] = []

    init(_ series: CalendarSeries<Item>, zones: ZoneTable, most: Int = RuleTimes.most) {
        itemKey = series.key
        self.zones = zones
        self.most = most
        master = series.master.flatMap { Self.form($0, zones) }
        for item in series.items {
            guard let id = item.recurrenceID, let form = Self.form(item, zones) else { continue }
            let key = self.key(of: id)
            if let other = overrides[key], other.item.sequence >= item.sequence { continue }
            overrides[key] = form
        }
        for (key, form) in overrides where form.item.changesLaterOnes {
            later.append(LaterForm(key: key, form: form, shift: shift(of: form, key: key)))
        }
        later.sort { $0.key < $1.key }
    }

    private static func form(_ item: Item, _ zones: ZoneTable) -> Form? {
        guard let span = item.span else { return nil }
        let length: Int
        switch (span.length, span.start) {
        case (.duration(let duration), _): length = duration.days * 86_400 + duration.seconds
        case (.end(let end), .date): length = (end.civil.date.dayNumber - span.start.civil.date.dayNumber) * 86_400
        case (.end(.floating(let end)), .floating(let start)): length = end.seconds - start.seconds
        case (.end(let end), _): length = zones.instant(of: end) - zones.instant(of: span.start)
        }
        return Form(item: item, span: span, civil: span.start.civil.seconds, length: max(0, length))
    }

    /// The key that identifies an occurrence: the instant of its start, or the local time if it has no zone.
    func key(of time: CalendarTime) -> Int {
        guard let master else { return zones.instant(of: time) }
        switch (master.span.start, time) {
        case (.date, _): return CivilTime(midnightOf: time.civil.date).seconds
        case (.floating, _): return time.civil.seconds
        case (let start, .date), (let start, .floating):
            return zones.clock(of: start).instant(of: time.civil)
        default: return zones.instant(of: time)
        }
    }

    /// The time of a key, in the form and zone of the series' start.
    func time(of key: Int, like start: CalendarTime) -> CalendarTime {
        switch start {
        case .date, .floating: start.with(CivilTime(seconds: key))
        case .utc, .zoned: start.with(zones.clock(of: start).time(at: key))
        }
    }

    /// The end of the occurrence of the series that begins at a time.
    func end(from start: CalendarTime) -> CalendarTime {
        master.map { occurrence($0, at: start, id: start, period: nil).end } ?? start
    }

    /// Nominal where override and series share a zone, so that what is moved to noon stays at noon; else exact.
    private func shift(of form: Form, key: Int) -> Int {
        guard let id = form.item.recurrenceID else { return 0 }
        if form.span.start.with(id.civil) == id || form.span.start.isDate || id.isDate {
            return form.civil - id.civil.seconds
        }
        return zones.instant(of: form.span.start) - zones.instant(of: id)
    }

    /// The occurrences in a range of instants, how many days and times were examined for them, and the reason if some
    /// are missing.
    func occurrences(
        in range: Range<Int>
    ) -> (occurrences: [Occurrence<Item>], examined: Int, problem: CalendarError?) {
        let (found, examined, problem) = candidates(in: range)
        return (found.filter { Self.isIn(range, $0) }, examined, problem)
    }

    /// The occurrence with an identity, wherever an override may have moved it; nil if there is none.
    func occurrence(with id: CalendarTime) -> Occurrence<Item>? {
        let key = key(of: id)
        // The key of a time without a zone is no instant, but less than a day away from it.
        return candidates(in: (key - 86_400)..<(key + 86_400)).occurrences.first {
            self.key(of: $0.recurrenceID) == key
        }
    }

    /// The occurrences whose original starts are near a range, and all overrides.
    private func candidates(
        in range: Range<Int>
    ) -> (occurrences: [Occurrence<Item>], examined: Int, problem: CalendarError?) {
        var found: [Occurrence<Item>] = []
        var examined = 0
        var excluded: Set<Int> = []
        var problem: CalendarError?
        if let master {
            let exceptions = master.item.exceptions
            excluded = Set(exceptions.map(key(of:)))
            let excludedDays = Set(master.span.start.isDate ? [] : exceptions.filter(\.isDate).map(\.civil.date))
            var periods: [Int: CalendarPeriod] = [:]
            for case let (start, period?) in master.item.additions { periods[key(of: start)] = period }
            let candidates = starts(of: master, around: range)
            (examined, problem) = (candidates.examined, candidates.problem)
            var (change, next): (LaterForm?, Int) = (nil, 0)
            for (key, civil) in candidates.starts.sorted(by: { $0.key < $1.key }) {
                // Both are in the order of their keys.
                while next < later.count, later[next].key < key { (change, next) = (later[next], next + 1) }
                guard overrides[key] == nil, !excluded.contains(key), !excludedDays.contains(civil.date) else {
                    continue
                }
                let form = change?.form ?? master
                let id = master.span.start.with(civil)
                let start = master.span.start.with(CivilTime(seconds: civil.seconds + (change?.shift ?? 0)))
                found.append(occurrence(form, at: start, id: id, period: periods[key]))
            }
        }
        for (key, form) in overrides where !excluded.contains(key) {
            found.append(
                occurrence(form, at: form.span.start, id: form.item.recurrenceID ?? form.span.start, period: nil))
        }
        return (found, examined, problem)
    }

    private static func isIn(_ range: Range<Int>, _ occurrence: Occurrence<Item>) -> Bool {
        // A moment, or an empty range, counts as one second.
        let start = Int(occurrence.interval.start.timeIntervalSince1970)
        let end = max(start + 1, Int(occurrence.interval.end.timeIntervalSince1970))
        return start < max(range.upperBound, range.lowerBound + 1) && range.lowerBound < end
    }

    /// The starts of the series near a range, by key, on the clock of the series.
    private func starts(
        of master: Form, around range: Range<Int>
    ) -> (starts: [Int: CivilTime], examined: Int, problem: CalendarError?) {
        let first = master.span.start
        let clock = zones.clock(of: first)
        func key(_ civil: CivilTime) -> Int {
            switch first {
            case .date, .floating: civil.seconds
            case .utc, .zoned: clock.instant(of: civil)
            }
        }
        // Room for the longest occurrence, for what overrides move, and for the offsets of zones.
        let reach = later.reduce(master.length) { max($0, $1.form.length + max(0, $1.shift)) } + 2 * 86_400
        let back = later.reduce(0) { max($0, -$1.shift) } + 2 * 86_400
        var starts: [Int: CivilTime] = [:]
        var problem: CalendarError?
        var lastUntil: Int?
        var left = most
        let rules: [RecurrenceRule]
        do throws(CalendarError) { rules = try master.item.rules() } catch {
            problem = error
            rules = []
        }
        for rule in rules {
            var until = Int.max
            if case .until(let time) = rule.end {
                until = Self.limit(time, first, clock)
                lastUntil = max(lastUntil ?? until, until)
            }
            guard left > 0 else { continue }
            let earliest = CivilTime(seconds: range.lowerBound - reach)
            var times = RuleTimes(rule, start: first.civil, earliest: earliest, isDate: first.isDate, most: left)
            while let civil = times.next(), civil.seconds <= range.upperBound + back {
                guard civil >= earliest else { continue }
                let key = key(civil)
                guard key <= until else { break }
                starts[key] = first.isDate ? CivilTime(midnightOf: civil.date) : civil
            }
            left = times.left
        }
        if left <= 0, !rules.isEmpty {
            problem = CalendarError(.tooManyOccurrences, "The rules need more days and times than may be examined.")
        }
        if lastUntil.map({ key(first.civil) <= $0 }) ?? true { starts[key(first.civil)] = first.civil }
        for (time, _) in master.item.additions {
            let key = self.key(of: time)
            starts[key] = self.time(of: key, like: first).civil
        }
        return (starts, most - left, problem)
    }

    /// UNTIL as a key. If its form is not that of RFC 5545, a date includes the whole day, and a time is in the start's
    /// zone.
    private static func limit(_ until: CalendarTime, _ start: CalendarTime, _ clock: ZoneClock) -> Int {
        switch (start, until) {
        case (.date, _): CivilTime(midnightOf: until.civil.date).seconds
        case (.floating, .date): until.civil.seconds + 86_399
        case (.floating, _): until.civil.seconds
        case (_, .date): clock.instant(of: CivilTime(seconds: until.civil.seconds + 86_399))
        case (_, .utc(let time)): time.seconds
        case (_, _): clock.instant(of: until.civil)
        }
    }

    private func occurrence(
        _ form: Form, at start: CalendarTime, id: CalendarTime, period: CalendarPeriod?
    ) -> Occurrence<Item> {
        let clock = zones.clock(of: start)
        let begin = clock.instant(of: start.civil)
        func after(_ duration: CalendarDuration) -> Int {
            clock.instant(of: CivilTime(seconds: start.civil.seconds + duration.days * 86_400)) + duration.seconds
        }
        let finish =
            switch (period?.length, form.span.length) {
            case (.end(let time), _): zones.instant(of: time)
            case (.duration(let duration), _), (nil, .duration(let duration)): after(duration)
            // With a zone, the same exact length each time; without one, the same on the clock.
            case (nil, .end) where start.isDate || start.isFloating:
                clock.instant(of: CivilTime(seconds: start.civil.seconds + form.length))
            case (nil, .end): begin + form.length
            }
        let end = max(begin, finish)
        return Occurrence(
            item: form.item, key: itemKey, recurrenceID: id, start: start, end: start.with(clock.time(at: end)),
            interval: DateInterval(
                start: Date(timeIntervalSince1970: Double(begin)), end: Date(timeIntervalSince1970: Double(end))))
    }
}
