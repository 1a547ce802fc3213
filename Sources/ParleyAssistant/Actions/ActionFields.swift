// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar
import ParleyJSON

/// Reads the fields of a payload by their types, and collects the problems of each.
///
/// A field with the value `null` counts as missing, and so does an empty text where none is needed: many models fill in
/// every field that they know. Unknown fields are ignored.
struct ActionFields {
    private let members: JSONObject
    private let resolver: DateResolver
    let context: DateContext
    private(set) var problems: [ActionProblem] = []
    var clock: LocalClock { context.clock }

    init(_ members: JSONObject, resolver: DateResolver, context: DateContext) {
        (self.members, self.resolver, self.context) = (members, resolver, context)
    }

    mutating func report(_ field: String, _ kind: ActionProblem.Kind, _ text: String) {
        problems.append(ActionProblem(field, kind, text))
    }

    func has(_ name: String) -> Bool { filled(name) != nil }

    /// Whether a field has a value, be it an empty one.
    func isGiven(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }

    /// The value of a field that is not empty.
    private func filled(_ name: String) -> JSONValue? {
        guard let value = members[name], !value.isNull, value.string?.allSatisfy(\.isWhitespace) != true else {
            return nil
        }
        return value
    }

    mutating func text(_ name: String, required: Bool = false, mayBeEmpty: Bool = false) -> String? {
        guard let value = members[name], !value.isNull else {
            if required { report(name, .missing, "The field is needed.") }
            return nil
        }
        guard let text = value.string else {
            report(name, .type, "A text is expected.")
            return nil
        }
        if !mayBeEmpty, !has(name) {
            if required { report(name, .value, "It is empty.") }
            return nil
        }
        return text
    }

    mutating func texts(_ name: String) -> [String]? {
        guard let value = filled(name) else { return nil }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            report(name, .type, "A list of texts is expected.")
            return nil
        }
        return texts.compactMap { $0 }
    }

    mutating func flag(_ name: String) -> Bool? {
        guard let value = filled(name) else { return nil }
        if value.bool == nil { report(name, .type, "true or false is expected.") }
        return value.bool
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = filled(name) else { return nil }
        guard let integer = value.integer ?? value.number.flatMap({ Int(exactly: $0) }) else {
            report(name, .type, "A whole number is expected.")
            return nil
        }
        guard range.contains(integer) else {
            report(name, .value, "It is not between \(range.lowerBound) and \(range.upperBound).")
            return nil
        }
        return integer
    }

    mutating func number(_ name: String, from least: Double) -> Double? {
        guard let value = filled(name) else { return nil }
        guard let number = value.number, number.isFinite else {
            report(name, .type, "A number is expected.")
            return nil
        }
        guard number >= least else {
            report(name, .value, "It is less than \(least).")
            return nil
        }
        return number
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, required: Bool = false
    ) -> Choice? where Choice.RawValue == String {
        guard let text = text(name, required: required) else { return nil }
        if let choice = Choice(rawValue: text.lowercased()) { return choice }
        report(name, .value, "It is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
        return nil
    }

    /// Reads a date in words; if `start` is given, a time without a day is taken as the next one after it.
    mutating func date(_ name: String, required: Bool = false, after start: Date? = nil) -> SpokenDate? {
        guard let words = text(name, required: required) else { return nil }
        guard let resolution = resolver.resolve(words, in: context, after: start) else {
            report(name, .date, "The words name no date that exists.")
            return nil
        }
        if case .duration = resolution.value {
            guard let start else {
                report(name, .date, "The words name a length of time and no date.")
                return nil
            }
            return SpokenDate(words: words, resolution: resolution, instant: start)
        }
        return SpokenDate(words: words, resolution: resolution, instant: resolution.value.first(clock))
    }

    /// Reads the range from the beginning of `start` to the end of `end`, or of `start` if there is no `end`.
    mutating func range() -> DateInterval? {
        guard let start = date("start", required: true) else { return nil }
        let end = date("end", after: start.instant)
        if end == nil, has("end") { return nil }
        var last = (end ?? start).resolution.value.last(clock)
        if case .duration(let length)? = end?.resolution.value { last = length.added(to: start.instant, clock: clock) }
        guard last > start.instant else {
            report("end", end == nil ? .missing : .value, "A range needs an end after its start.")
            return nil
        }
        return DateInterval(start: start.instant, end: last)
    }

    /// The last day of what a date means.
    func lastDay(of date: SpokenDate) -> CivilDate {
        switch date.resolution.value {
        case .instant(let instant): clock.day(of: instant)
        case .interval(let interval): clock.day(of: interval.end)
        case .days(let days): days.upperBound
        // A week that begins on Monday ends on Sunday.
        case .duration(let length):
            max(clock.day(of: length.added(to: date.instant, clock: clock)) - 1, clock.day(of: date.instant))
        }
    }
}
