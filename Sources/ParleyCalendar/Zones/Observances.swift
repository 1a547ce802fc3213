// SPDX-License-Identifier: Apache-2.0

/// The offsets of a VTIMEZONE: when each of its observances (standard time, daylight saving) begins.
struct Observances: Sendable {
    private struct Onset: Sendable {
        /// Seconds since 1970-01-01 00:00:00 UTC.
        var instant: Int
        var offset: Int
    }

    /// The last year for which onsets are calculated; afterwards the last offset remains.
    static let lastYear = 2100
    /// The maximum number of onsets of one observance.
    private static let most = 5000

    private let onsets: [Onset]
    private let first: Int

    /// - Parameters:
    ///   - component: A VTIMEZONE. Observances that lack a start or an offset are passed over.
    ///   - left: How many days and times its rules may still examine; if that is not enough, there is no result.
    init?(_ component: ContentComponent, left: inout Int) {
        var onsets: [Onset] = []
        var earliest: (start: Int, offset: Int)?
        for part in component.components where part.name == "STANDARD" || part.name == "DAYLIGHT" {
            guard let start = part["DTSTART"].flatMap({ CalendarTime($0.value) })?.civil,
                let from = part["TZOFFSETFROM"].flatMap({ Self.offset($0.value) }),
                let to = part["TZOFFSETTO"].flatMap({ Self.offset($0.value) })
            else { continue }
            let instants = Self.starts(of: part, start: start, offset: from, left: &left)
            onsets += instants.map { Onset(instant: $0, offset: to) }
            if earliest == nil || start.seconds - from < (earliest?.start ?? 0) {
                earliest = (start.seconds - from, from)
            }
        }
        guard let earliest, left > 0 else { return nil }
        first = earliest.offset
        self.onsets = onsets.sorted { $0.instant < $1.instant }
    }

    private static func starts(
        of part: ContentComponent, start: CivilTime, offset: Int, left: inout Int
    ) -> [Int] {
        var instants = [start.seconds - offset]
        for line in part.all("RDATE") {
            for value in line.value.split(separator: ",").prefix(most) {
                let day = value.split(separator: "/").first ?? value
                guard let time = CalendarTime(day) else { continue }
                if case .utc(let civil) = time {
                    instants.append(civil.seconds)
                } else {
                    instants.append(time.civil.seconds - offset)
                }
            }
        }
        for line in part.all("RRULE") {
            guard left > 0, let rule = try? RecurrenceRule(parsing: line.value) else { continue }
            var until = Int.max
            if case .until(let time) = rule.end {
                until = time.civil.seconds
                if case .utc = time {} else { until -= offset }
            }
            let end = CivilDate.dayNumber(year: lastYear, month: 12, day: 31) * 86_400
            var times = RuleTimes(rule, start: start, most: left)
            for _ in 0..<most {
                guard let time = times.next(), time.seconds <= end, time.seconds - offset <= until else { break }
                let instant = time.seconds - offset
                if instant != instants[0] { instants.append(instant) }
            }
            left = times.left
        }
        return instants
    }

    /// Reads `+0100`, `-0530` or `+013045`.
    static func offset(_ text: String) -> Int? {
        let digits = text.dropFirst()
        guard let sign = text.first, sign == "+" || sign == "-", digits.count == 4 || digits.count == 6,
            digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits)
        else { return nil }
        let full = digits.count == 4 ? number * 100 : number
        let seconds = full / 10_000 * 3600 + full / 100 % 100 * 60 + full % 100
        return seconds < 86_400 ? (sign == "-" ? -seconds : seconds) : nil
    }

    func offset(at instant: Int) -> Int {
        var (low, high) = (0, onsets.count)
        while low < high {
            let middle = (low + high) / 2
            if onsets[middle].instant <= instant { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? onsets[low - 1].offset : first
    }
}
