// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
package import ParleyCalendar

/// A reminder of the system, as far as Parley reads and writes it; its text is made as that of a ``SystemEvent``.
package struct SystemReminder: Hashable, Sendable {
    /// What to do.
    package var title = ""
    /// More about it.
    package var notes: String?
    /// Where it is to be done.
    package var location: String?
    /// An address that belongs to it.
    package var url: String?
    /// 1 for the highest to 9; 0 for none.
    package var priority = 0
    /// When it can be begun.
    package var start: CalendarTime?
    /// When it is due.
    package var due: CalendarTime?
    /// When it was done, in UTC.
    package var completed: CivilTime?
    /// When its alarms go off: in seconds after the start, or at a time.
    package var alarms: [CalendarAlarm.Trigger] = []
    /// How it recurs.
    package var rule: RecurrenceRule?
    /// The identifier of the list that it is in; nil for the one for new reminders.
    package var list: String?

    /// Creates a reminder without a title.
    package init() {}

    /// Whether two reminders are the same, where no list means any.
    package func isSame(as other: SystemReminder) -> Bool {
        var (one, two) = (self, other)
        if one.list == nil || two.list == nil { (one.list, two.list) = (nil, nil) }
        return one == two
    }
}

extension SystemReminder {
    private static let list = "X-PARLEY-CALENDAR"

    /// Reads the text of an item.
    ///
    /// - Parameters:
    ///   - content: An iCalendar object, of which the first to-do counts.
    ///   - local: The zone for times and days without a zone.
    /// - Throws: ``AssistantError`` with code `invalidItem`.
    package init(reading content: Data, local: TimeZone) throws(AssistantError) {
        let object = try SystemItemText.object(content)
        guard let toDo = object.toDos.first else { throw AssistantError(.invalidItem, "The item has no to-do.") }
        let zones = object.zones(local: local)
        self.init()
        title = toDo.summary ?? ""
        notes = SystemItemText.filled(toDo.details)
        location = SystemItemText.filled(toDo.location)
        url = SystemItemText.filled(toDo.component["URL"]?.value)
        priority = toDo.priority ?? 0
        (start, due) = (toDo.start, toDo.due)
        completed = toDo.completed.map(\.civil)
        alarms = SystemItemText.alarms(of: toDo, start: start, end: due ?? start, zones)
        rule = try SystemItemText.rule(of: toDo, from: due ?? start, zones)
        list = toDo.component[Self.list].map { TextValue.read($0.value) }
    }

    /// The text of the item.
    ///
    /// - Parameter uid: What the text gives as its identifier; the system has its own.
    /// - Returns: An iCalendar object.
    package func content(uid: String) -> Data {
        var toDo = CalendarToDo(uid: uid, due: due, summary: title, stamp: SystemItemText.stamp)
        toDo.component.setTime("DTSTART", start)
        toDo.details = notes
        toDo.location = location
        toDo.component.set("URL", url)
        if priority != 0 { toDo.priority = priority }
        toDo.setRule(rule)
        toDo.component.set(Self.list, list.map(TextValue.write))
        if let completed { toDo.complete(at: completed) }
        for trigger in alarms { toDo.add(CalendarAlarm(trigger, text: title)) }
        return SystemItemText.content(toDo)
    }

    /// A change with the same meaning whose text is made of these values alone.
    ///
    /// Alarms at the time at which the reminder was due move along with it.
    ///
    /// - Parameters:
    ///   - change: A change that was planned over the text of an item.
    ///   - list: The list of a reminder that is created.
    ///   - local: The zone for times and days without a zone.
    /// - Returns: The change.
    /// - Throws: ``AssistantError`` with code `invalidItem`.
    package static func canonical(
        _ change: Change<StoreItem>, list: String?, local: TimeZone
    ) throws(AssistantError) -> Change<StoreItem> {
        guard let item = change.after else { return change }
        var after = try SystemReminder(reading: item.content, local: local)
        if let before = change.before {
            let old = try SystemReminder(reading: before.content, local: local)
            if let was = old.due, let due = after.due, was != due, old.alarms == after.alarms {
                let zones = ZoneTable(CalendarObject(product: CalendarContext.product).component, local: local)
                let shift = zones.instant(of: due) - zones.instant(of: was)
                after.alarms = SystemItemText.sorted(
                    after.alarms.map {
                        if case .at(let time) = $0 { .at(CivilTime(seconds: time.seconds + shift)) } else { $0 }
                    })
            }
        } else {
            after.list = after.list ?? list
        }
        return SystemItemText.change(change.before, item.id) { after.content(uid: $0) }
    }
}
