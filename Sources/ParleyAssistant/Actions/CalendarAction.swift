// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyCalendar

/// An action on the calendar that a model requests.
public enum CalendarAction: Hashable, Sendable {
    /// Creates an event; title and time are given.
    case create(EventFields)
    /// Changes at least one field of the event that a search for its title finds.
    case update(search: String, EventFields)
    /// Deletes the event that a search for its title finds.
    case delete(search: String)
    /// Deletes all events in a range.
    case deleteAll(DateInterval)
    /// Shows the events in a range.
    case list(DateInterval)
    /// Finds free times of a number of minutes in a range.
    case query(DateInterval, minutes: Int)
    /// Moves the event with an identifier; a start is given.
    case reschedule(identifier: String, EventFields)
}

/// The fields of an event: all known ones of a new event, or the changes of an existing one.
public struct EventFields: Hashable, Sendable {
    /// The title.
    public var title: String?
    /// The time of the event, if both its start and its end are known.
    public var time: EventTime?
    /// The words for its start, and their meaning.
    public var start: SpokenDate?
    /// The words for its end, and their meaning.
    public var end: SpokenDate?
    /// The location of the event.
    public var location: String?
    /// Notes about the event.
    public var notes: String?
    /// The number of minutes, 0 or more, between a reminder and the start.
    public var reminderMinutes: Int?
    /// Whether the event lasts whole days.
    public var isAllDay: Bool?
    /// How the event recurs, and until when.
    public var recurrence: Recurrence?

    /// Whether no field is set.
    public var isEmpty: Bool { self == EventFields() }

    /// Creates fields of which none is set.
    public init() {}
}

extension CalendarAction {
    /// Reads the fields; nil if there are problems, which `fields` then contains.
    init?(_ fields: inout ActionFields) {
        enum Name: String, CaseIterable { case create, update, delete, list, query, reschedule }
        guard let name: Name = fields.choice("action", required: true) else { return nil }
        switch name {
        case .create:
            let title = fields.text("title", required: true)
            var event = EventFields()
            event.title = title
            event.read(&fields, isNew: true)
            guard title != nil, event.time != nil else { return nil }
            self = .create(event)
        case .update:
            let search = fields.text("search", required: true)
            var event = EventFields()
            event.title = fields.text("title")
            event.read(&fields, isNew: false)
            if event.isEmpty, fields.problems.isEmpty {
                fields.report("", .missing, "An update needs at least one field to change.")
            }
            guard let search else { return nil }
            self = .update(search: search, event)
        case .delete:
            // Empty words do not mean everything in the range.
            if let search = fields.text("search", required: fields.isGiven("search")) {
                self = .delete(search: search)
            } else if fields.problems.isEmpty, fields.has("start") || fields.has("end"), let range = fields.range() {
                self = .deleteAll(range)
            } else {
                if fields.problems.isEmpty {
                    fields.report("search", .missing, "A deletion needs a search, or a start and an end.")
                }
                return nil
            }
        case .list:
            guard let range = fields.range() else { return nil }
            self = .list(range)
        case .query:
            let minutes = fields.integer("durationMinutes", in: 1...1440) ?? 60
            guard let range = fields.range() else { return nil }
            self = .query(range, minutes: minutes)
        case .reschedule:
            let identifier = fields.text("eventIdentifier", required: true)
            var event = EventFields()
            event.isAllDay = fields.flag("isAllDay")
            event.readTime(&fields, isNew: false, needsStart: true)
            if event.start?.resolution.recurrence != nil {
                fields.report("start", .value, "Moving an event does not change how it recurs; an update does.")
            }
            guard let identifier, event.start != nil else { return nil }
            self = .reschedule(identifier: identifier, event)
        }
    }
}

extension EventFields {
    fileprivate mutating func read(_ fields: inout ActionFields, isNew: Bool) {
        location = fields.text("location")
        notes = fields.text("notes")
        reminderMinutes = fields.integer("reminderMinutes", in: 0...Int(Int32.max))
        isAllDay = fields.flag("isAllDay")
        readTime(&fields, isNew: isNew)
        recurrence = start?.resolution.recurrence
        // "Every other Tuesday" is weekly too: the words say more than a field of the same unit.
        if let frequency: Recurrence.Frequency = fields.choice("recurrence"), frequency != recurrence?.frequency {
            var field = Recurrence(frequency)
            (field.until, field.count) = (recurrence?.until, recurrence?.count)
            recurrence = field
        }
        guard let until = fields.date("recurrenceEnd") else { return }
        guard recurrence != nil else {
            return fields.report("recurrenceEnd", .value, "It ends a recurrence, but none is given.")
        }
        let day = fields.lastDay(of: until)
        if let first = start?.instant, day < fields.clock.day(of: first) {
            fields.report("recurrenceEnd", .value, "It is before the first time.")
        }
        recurrence?.until = day
    }

    /// Reads the start and the end, and the time if they say all of it: the rest only the calendar knows.
    ///
    /// - Parameters:
    ///   - fields: the fields.
    ///   - isNew: whether the event is a new one, of which nothing is known yet.
    ///   - needsStart: whether there has to be a start, which a new event always needs.
    fileprivate mutating func readTime(_ fields: inout ActionFields, isNew: Bool, needsStart: Bool = false) {
        start = fields.date("start", required: isNew || needsStart)
        guard let start else {
            end = fields.date("end")
            return
        }
        end = fields.date("end", after: start.instant)
        let days: ClosedRange<CivilDate>? = if case .days(let all) = start.resolution.value { all } else { nil }
        let isWhole = days != nil
        // "Move it to Friday": the event keeps its time of the day, and one of whole days their number.
        let saysNoMore = isAllDay == true ? (days?.count ?? 1) == 1 : isAllDay == nil && isWhole
        if !isNew, end == nil, saysNoMore { return }
        let endIsWhole = if case .days? = end?.resolution.value { true } else { end == nil }
        if isAllDay ?? (isWhole && endIsWhole) {
            let first = fields.clock.day(of: start.instant)
            let last = end.map { fields.lastDay(of: $0) } ?? (isWhole ? fields.lastDay(of: start) : first)
            guard last >= first else { return fields.report("end", .value, "It is before the start.") }
            (isAllDay, time) = (true, .allDay(first...last))
            return
        }
        guard !isWhole else { return fields.report("start", .value, "It has no time of the day.") }
        var last: Date?
        switch end?.resolution.value {
        case .instant(let instant)?:
            // For "6" to "8", the end is the first of its readings that is after the start.
            let others = end?.resolution.alternatives.compactMap {
                if case .instant(let other) = $0 { other } else { nil }
            }
            last = ([instant] + (others ?? [])).first { $0 > start.instant } ?? instant
        case .interval(let interval)?: last = interval.end
        case .duration(let length)?: last = length.added(to: start.instant, clock: fields.clock)
        case .days?: return fields.report("end", .value, "It has no time of the day.")
        case nil: if case .interval(let interval) = start.resolution.value { last = interval.end }
        }
        guard let last else {
            if isNew { fields.report("end", .missing, "An event needs an end, or a start that says for how long.") }
            return
        }
        guard last > start.instant else { return fields.report("end", .value, "It is not after the start.") }
        end?.instant = last
        time = .timed(DateInterval(start: start.instant, end: last))
    }
}
