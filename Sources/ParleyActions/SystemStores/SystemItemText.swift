// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// What the texts of events and reminders of the system have in common.
enum SystemItemText {
    /// The time stamp of all texts, which must not differ from one reading to the next.
    static let stamp = CivilTime(seconds: 0)

    static func object(_ content: Data) throws(AssistantError) -> CalendarObject {
        do {
            return try CalendarObject(reading: content)
        } catch {
            throw AssistantError(.invalidItem, "The item is not a calendar that can be read.", cause: error)
        }
    }

    /// The text of an item alone in its calendar.
    static func content(_ item: some CalendarItem) -> Data {
        var object = CalendarObject(product: CalendarContext.product)
        object.add(item)
        return Data(object.bytes)
    }

    /// The change to an item with the text for the identifier that its path gives.
    static func change(
        _ before: StoreItem?, _ id: StoreItem.ID, _ content: (_ uid: String) -> Data
    ) -> Change<StoreItem> {
        let uid = SystemItemPath(id.path)?.stem ?? id.path
        return Change(before: before, after: StoreItem(id: id, content: content(uid)))
    }

    /// A text that is not empty.
    static func filled(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return text
    }

    /// A text of the system as reading its iCalendar form gives it back.
    static func plain(_ text: String?) -> String? { filled(text.map { TextValue.read(TextValue.write($0)) }) }

    /// The end of a span, in the zone of its start.
    static func end(of span: ItemSpan, _ zones: ZoneTable) -> CalendarTime {
        switch span.length {
        case .duration(let length):
            let seconds = span.start.civil.seconds + length.days * 86_400
            if span.start.isDate { return span.start.with(CivilTime(seconds: seconds)) }
            let clock = zones.clock(of: span.start)
            let instant = clock.instant(of: CivilTime(seconds: seconds)) + length.seconds
            return span.start.with(clock.time(at: instant))
        case .end(let end) where span.start.isDate || end.isDate: return end
        case .end(let end):
            return span.start.with(zones.clock(of: span.start).time(at: zones.instant(of: end)))
        }
    }

    /// When the alarms of an item go off, in an order of their own: relative to its start, or else at a time.
    static func alarms(
        of item: some CalendarItem, start: CalendarTime?, end: CalendarTime?, _ zones: ZoneTable
    ) -> [CalendarAlarm.Trigger] {
        let triggers = item.alarms.compactMap { alarm -> CalendarAlarm.Trigger? in
            switch alarm.trigger {
            case .start(let offset)?: return .start(CalendarDuration(seconds: offset.days * 86_400 + offset.seconds))
            case .end(let offset)?:
                guard let end else { return nil }
                let time = zones.instant(of: end) + offset.days * 86_400 + offset.seconds
                return .at(CivilTime(seconds: time))
            case .at(let time)?: return .at(time)
            case nil: return nil
            }
        }
        return sorted(triggers)
    }

    /// Alarms in the one order that texts have them in, without repetitions.
    static func sorted(_ triggers: [CalendarAlarm.Trigger]) -> [CalendarAlarm.Trigger] {
        func key(_ trigger: CalendarAlarm.Trigger) -> (Int, Int) {
            switch trigger {
            case .start(let offset): (0, offset.seconds)
            case .end(let offset): (1, offset.seconds)
            case .at(let time): (2, time.seconds)
            }
        }
        return Set(triggers).sorted { key($0) < key($1) }
    }

    /// The rule of an item as the system can keep it: one rule of days or more, weeks that begin on Monday, and the end
    /// of a day as its end.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem`.
    static func rule(
        of item: some CalendarItem, from start: CalendarTime?, _ zones: ZoneTable
    ) throws(AssistantError) -> RecurrenceRule? {
        let rules: [RecurrenceRule]
        do {
            rules = try item.rules()
        } catch {
            throw AssistantError(error)
        }
        guard let rule = rules.first else { return nil }
        return canonical(rule, from: start, zones.clock(of: start ?? .floating(stamp)))
    }

    static func canonical(_ rule: RecurrenceRule, from start: CalendarTime?, _ clock: ZoneClock) -> RecurrenceRule {
        var rule = rule
        rule.weekStart = .monday
        // The system has weekdays only in weeks, months and years.
        if rule.frequency == .daily, rule.interval == 1, !rule.days.isEmpty { rule.frequency = .weekly }
        rule.days.sort { ($0.weekday.rawValue, $0.ordinal ?? 0) < ($1.weekday.rawValue, $1.ordinal ?? 0) }
        guard case .until(let time) = rule.end else { return rule }
        let day: CivilDate
        if case .utc(let instant) = time, start?.isDate != true {
            day = clock.time(at: instant.seconds).date
        } else {
            day = time.civil.date
        }
        guard start?.isDate != true else {
            rule.end = .until(.date(day))
            return rule
        }
        let last = CivilTime(seconds: (day.dayNumber + 1) * 86_400 - 1)
        rule.end = .until(.utc(CivilTime(seconds: clock.instant(of: last))))
        return rule
    }
}
