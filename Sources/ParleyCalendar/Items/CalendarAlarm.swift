// SPDX-License-Identifier: Apache-2.0

/// A typed view of a VALARM.
public struct CalendarAlarm: Hashable, Sendable {
    /// When an alarm goes off.
    public enum Trigger: Hashable, Sendable {
        /// So long after the start of its item; a negative time is before it.
        case start(CalendarDuration)
        /// So long after the end of its item; a negative time is before it.
        case end(CalendarDuration)
        /// At an instant, in UTC.
        case at(CivilTime)
    }

    /// The component with everything that is in it.
    public var component: ContentComponent

    /// Views a VALARM.
    ///
    /// - Parameter component: A VALARM.
    public init(component: ContentComponent) { self.component = component }

    /// Makes an alarm that shows a text.
    ///
    /// - Parameters:
    ///   - trigger: When it goes off.
    ///   - text: What it shows.
    public init(_ trigger: Trigger, text: String) {
        component = ContentComponent("VALARM")
        component.set("ACTION", "DISPLAY")
        component.set("DESCRIPTION", TextValue.write(text))
        switch trigger {
        case .start(let duration): component.set("TRIGGER", duration.text)
        case .end(let duration):
            component.set("TRIGGER", duration.text, parameters: [ContentParameter("RELATED", "END")])
        case .at(let time):
            component.set(
                "TRIGGER", CalendarTime.utc(time).text, parameters: [ContentParameter("VALUE", "DATE-TIME")])
        }
    }

    /// What it does, in capitals: `DISPLAY`, `AUDIO` or `EMAIL`.
    public var action: String { component["ACTION"]?.value.uppercased() ?? "" }

    /// What it shows.
    public var text: String? { component["DESCRIPTION"].map { TextValue.read($0.value) } }

    /// When it goes off first; nil where the calendar does not say it well.
    public var trigger: Trigger? {
        guard let line = component["TRIGGER"] else { return nil }
        if let duration = CalendarDuration(line.value) {
            return line.parameter("RELATED")?.uppercased() == "END" ? .end(duration) : .start(duration)
        }
        return line.time.map { .at($0.civil) }
    }

    /// How often it goes off again, and after how long each time.
    public var repetition: (count: Int, interval: CalendarDuration)? {
        guard let count = component["REPEAT"].flatMap({ Int($0.value) }), count > 0,
            let interval = component["DURATION"].flatMap({ CalendarDuration($0.value) })
        else { return nil }
        return (count, interval)
    }
}
