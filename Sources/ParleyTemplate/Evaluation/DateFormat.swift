// SPDX-License-Identifier: Apache-2.0

import Foundation

/// C's `strftime` in the C locale, for the directives that are useful in a prompt.
enum DateFormat {
    /// The cost of computing a date's parts, in ticks.
    private static let priceOfDate = 100 * Meter.ticksPerStep

    static func write(
        _ date: Date, _ format: MarkedText, in timeZone: TimeZone, to writer: TextWriter
    ) throws(TemplateError) {
        try writer.meter.work(priceOfDate)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second, .nanosecond, .weekday], from: date)
        let dayOfYear = calendar.ordinality(of: .day, in: .year, for: date) ?? 1
        let origin = format.origin
        var rest = format.characters
        while let (index, character) = rest.next() {
            guard character == "%", let (_, directive) = rest.next() else {
                try writer.append(scalar: character, origin)
                continue
            }
            try writer.meter.work(8 * Meter.ticksPerStep)
            let flag = directive == "-" || directive == "0" || directive == "_" ? directive : nil
            guard let name = flag == nil ? directive : rest.next()?.scalar else {
                return try writer.append("%-", origin)
            }
            let field = Field(date: date, parts: parts, dayOfYear: dayOfYear, timeZone: timeZone, flag: flag)
            if let text = field.text(name) {
                try writer.append(string: text, origin)
            } else {
                let end = format.end(after: index + (flag == nil ? 1 : 2))
                try writer.append(format[index..<end], as: origin)
            }
        }
    }

    /// The values of a date for the directives.
    private struct Field {
        let date: Date
        let parts: DateComponents
        let dayOfYear: Int
        let timeZone: TimeZone
        let flag: Unicode.Scalar?

        static let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

        var year: Int { parts.year ?? 1970 }
        var month: Int { min(max(parts.month ?? 1, 1), 12) }
        var day: Int { parts.day ?? 1 }
        var hour: Int { parts.hour ?? 0 }
        var minute: Int { parts.minute ?? 0 }
        var second: Int { parts.second ?? 0 }
        /// The day of the week, 0 for Sunday.
        var weekday: Int { ((parts.weekday ?? 1) - 1) % 7 }
        var monthName: String { Field.months[month - 1] }
        var dayName: String { Field.days[weekday] }
        var twelveHour: Int { (hour + 11) % 12 + 1 }

        func text(_ name: Unicode.Scalar) -> String? {
            switch name {
            case "Y": String(year)
            case "C": padded(year / 100)
            case "y": padded(year % 100)
            case "m": padded(month)
            case "d": padded(day)
            case "e": padded(day, fill: " ")
            case "H": padded(hour)
            case "I": padded(twelveHour)
            case "k": padded(hour, fill: " ")
            case "l": padded(twelveHour, fill: " ")
            case "M": padded(minute)
            case "S": padded(second)
            case "f": padded((parts.nanosecond ?? 0) / 1000, 6)
            case "j": padded(dayOfYear, 3)
            case "p": hour < 12 ? "AM" : "PM"
            case "P": hour < 12 ? "am" : "pm"
            case "B": monthName
            case "b", "h": String(monthName.prefix(3))
            case "A": dayName
            case "a": String(dayName.prefix(3))
            case "u": String(weekday == 0 ? 7 : weekday)
            case "w": String(weekday)
            case "U": padded((dayOfYear + 6 - weekday) / 7)
            case "W": padded((dayOfYear + 6 - (weekday + 6) % 7) / 7)
            case "s": String(Int(date.timeIntervalSince1970.rounded(.down)))
            case "n": "\n"
            case "t": "\t"
            case "%": "%"
            // `strftime_now` formats Python dates without a time zone, for which these print nothing.
            case "z", "Z": ""
            default: compound(name)
            }
        }

        private func compound(_ name: Unicode.Scalar) -> String? {
            let clock = "\(padded(hour)):\(padded(minute))"
            let american = "\(padded(month))/\(padded(day))/\(padded(year % 100))"
            return switch name {
            case "F": "\(year)-\(padded(month))-\(padded(day))"
            case "T", "X": "\(clock):\(padded(second))"
            case "R": clock
            case "r": "\(padded(twelveHour)):\(padded(minute)):\(padded(second)) \(hour < 12 ? "AM" : "PM")"
            case "D", "x": american
            case "c":
                "\(dayName.prefix(3)) \(monthName.prefix(3)) \(day < 10 ? " " : "")\(day) \(clock):\(padded(second)) \(year)"
            default: nil
            }
        }

        private func padded(_ number: Int, _ width: Int = 2, fill: Character = "0") -> String {
            let text = String(number)
            let filler = flag == "_" ? " " : flag == "0" ? "0" : fill
            return flag == "-" ? text : String(repeating: filler, count: max(width - text.count, 0)) + text
        }
    }
}
