// SPDX-License-Identifier: Apache-2.0

/// A typed view of a VEVENT.
public struct CalendarEvent: CalendarItem {
    /// `VEVENT`.
    public static let componentName = "VEVENT"
    /// The component with all of its properties.
    public var component: ContentComponent

    /// Creates a view of a VEVENT.
    ///
    /// - Parameter component: A VEVENT.
    public init(component: ContentComponent) { self.component = component }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - uid: An identifier that no other event has, such as a UUID.
    ///   - start: When it begins.
    ///   - end: When it ends; nil for a single day or moment, depending on the start.
    ///   - summary: The title.
    ///   - stamp: The present time in UTC.
    public init(uid: String, start: CalendarTime, end: CalendarTime?, summary: String, stamp: CivilTime) {
        component = ContentComponent(Self.componentName)
        component.set("UID", TextValue.write(uid))
        component.set("DTSTAMP", CalendarTime.utc(stamp).text)
        component.setTime("DTSTART", start)
        component.setTime("DTEND", end)
        component.set("SUMMARY", TextValue.write(summary))
    }

    /// The end, which is exclusive; nil if the calendar does not state one.
    public var end: CalendarTime? {
        get { component["DTEND"]?.time }
        set {
            component.setTime("DTEND", newValue)
            component.remove("DURATION")
        }
    }

    /// The duration, if the calendar states it instead of an end.
    public var duration: CalendarDuration? {
        get { component["DURATION"].flatMap { CalendarDuration($0.value) } }
        set {
            component.set("DURATION", newValue?.text)
            component.remove("DTEND")
        }
    }

    /// Whether the time of the event counts as free.
    public var isTransparent: Bool {
        get { component["TRANSP"]?.value.uppercased() == "TRANSPARENT" }
        set { component.set("TRANSP", newValue ? "TRANSPARENT" : "OPAQUE") }
    }

    /// The start and length; if the calendar states only a start, the length is a day for a date and zero for a time.
    public var span: ItemSpan? {
        guard let start else { return nil }
        // Some programs write the last day as the end, so that an event of one day would last none.
        if let end, !(start.isDate && end.isDate && end.civil.date.dayNumber <= start.civil.date.dayNumber) {
            return ItemSpan(start: start, length: .end(end))
        }
        let own = CalendarDuration(days: start.isDate ? 1 : 0)
        return ItemSpan(start: start, length: .duration(duration ?? own))
    }
}

/// A typed view of a VTODO.
public struct CalendarToDo: CalendarItem {
    /// `VTODO`.
    public static let componentName = "VTODO"
    /// The component with all of its properties.
    public var component: ContentComponent

    /// Creates a view of a VTODO.
    ///
    /// - Parameter component: A VTODO.
    public init(component: ContentComponent) { self.component = component }

    /// Creates a to-do.
    ///
    /// - Parameters:
    ///   - uid: An identifier that no other to-do has, such as a UUID.
    ///   - due: When it is due, if ever.
    ///   - summary: The title.
    ///   - stamp: The present time in UTC.
    public init(uid: String, due: CalendarTime?, summary: String, stamp: CivilTime) {
        component = ContentComponent(Self.componentName)
        component.set("UID", TextValue.write(uid))
        component.set("DTSTAMP", CalendarTime.utc(stamp).text)
        component.setTime("DUE", due)
        component.set("SUMMARY", TextValue.write(summary))
        component.set("STATUS", "NEEDS-ACTION")
    }

    /// When it is due.
    public var due: CalendarTime? {
        get { component["DUE"]?.time }
        set {
            component.setTime("DUE", newValue)
            component.remove("DURATION")
        }
    }

    /// When it was completed, in UTC.
    public var completed: CalendarTime? { component["COMPLETED"]?.time }

    /// The percentage that is completed, from 0 to 100.
    public var percent: Int? {
        get { component["PERCENT-COMPLETE"].flatMap { Int($0.value) } }
        set { component.set("PERCENT-COMPLETE", newValue.map(String.init)) }
    }

    /// The priority, from 1 (highest) to 9; 0 for none.
    public var priority: Int? {
        get { component["PRIORITY"].flatMap { Int($0.value) } }
        set { component.set("PRIORITY", newValue.map(String.init)) }
    }

    /// Marks the to-do as completed.
    ///
    /// - Parameter time: The present time in UTC.
    public mutating func complete(at time: CivilTime) {
        status = "COMPLETED"
        percent = 100
        component.set("COMPLETED", CalendarTime.utc(time).text)
    }

    /// The start and length; nil for a to-do with neither a start nor a due time.
    public var span: ItemSpan? {
        guard let begin = start ?? due else { return nil }
        if let due { return ItemSpan(start: begin, length: .end(due)) }
        let duration = component["DURATION"].flatMap { CalendarDuration($0.value) }
        return ItemSpan(start: begin, length: .duration(duration ?? CalendarDuration()))
    }
}
