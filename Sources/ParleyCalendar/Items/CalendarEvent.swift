// SPDX-License-Identifier: Apache-2.0

/// A typed view of a VEVENT.
public struct CalendarEvent: CalendarItem {
    /// `VEVENT`.
    public static let componentName = "VEVENT"
    /// The component with everything that is in it.
    public var component: ContentComponent

    /// Views a VEVENT.
    ///
    /// - Parameter component: A VEVENT.
    public init(component: ContentComponent) { self.component = component }

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - uid: An identifier that no other event has, such as a UUID.
    ///   - start: When it begins.
    ///   - end: When it ends; nil for the one day or the moment of the start.
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

    /// When it ends, where the calendar says so; the end is not part of it.
    public var end: CalendarTime? {
        get { component["DTEND"]?.time }
        set {
            component.setTime("DTEND", newValue)
            component.remove("DURATION")
        }
    }

    /// How long it is, where the calendar says that and no end.
    public var duration: CalendarDuration? {
        get { component["DURATION"].flatMap { CalendarDuration($0.value) } }
        set {
            component.set("DURATION", newValue?.text)
            component.remove("DTEND")
        }
    }

    /// Whether it leaves the time free for other things.
    public var isTransparent: Bool {
        get { component["TRANSP"]?.value.uppercased() == "TRANSPARENT" }
        set { component.set("TRANSP", newValue ? "TRANSPARENT" : "OPAQUE") }
    }

    /// From when it is, and for how long: a day or a moment where the calendar says no more than the start.
    public var span: ItemSpan? {
        guard let start else { return nil }
        if let end { return ItemSpan(start: start, length: .end(end)) }
        let own = CalendarDuration(days: start.isDate ? 1 : 0)
        return ItemSpan(start: start, length: .duration(duration ?? own))
    }
}

/// A typed view of a VTODO.
public struct CalendarToDo: CalendarItem {
    /// `VTODO`.
    public static let componentName = "VTODO"
    /// The component with everything that is in it.
    public var component: ContentComponent

    /// Views a VTODO.
    ///
    /// - Parameter component: A VTODO.
    public init(component: ContentComponent) { self.component = component }

    /// Makes a to-do.
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

    /// When it was done, in UTC.
    public var completed: CalendarTime? { component["COMPLETED"]?.time }

    /// How much of it is done, 0 to 100.
    public var percent: Int? {
        get { component["PERCENT-COMPLETE"].flatMap { Int($0.value) } }
        set { component.set("PERCENT-COMPLETE", newValue.map(String.init)) }
    }

    /// From 1, the most urgent, to 9; 0 for none.
    public var priority: Int? {
        get { component["PRIORITY"].flatMap { Int($0.value) } }
        set { component.set("PRIORITY", newValue.map(String.init)) }
    }

    /// Marks it as done.
    ///
    /// - Parameter time: The present time in UTC.
    public mutating func complete(at time: CivilTime) {
        status = "COMPLETED"
        percent = 100
        component.set("COMPLETED", CalendarTime.utc(time).text)
    }

    /// nil for a to-do that neither begins nor is due.
    public var span: ItemSpan? {
        guard let begin = start ?? due else { return nil }
        if let due { return ItemSpan(start: begin, length: .end(due)) }
        let duration = component["DURATION"].flatMap { CalendarDuration($0.value) }
        return ItemSpan(start: begin, length: .duration(duration ?? CalendarDuration()))
    }
}
