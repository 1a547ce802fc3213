// SPDX-License-Identifier: Apache-2.0

/// A typed view of a VALARM.
public struct CalendarAlarm: Hashable, Sendable {
    /// The time at which an alarm goes off.
    public enum Trigger: Hashable, Sendable {
        /// A duration after the start of the item; a negative duration is before it.
        case start(CalendarDuration)
        /// A duration after the end of the item; a negative duration is before it.
        case end(CalendarDuration)
        /// A time in UTC.
        case at(CivilTime)
    }

    /// The component with all of its properties.
    public var component: ContentComponent

    /// Creates a view of a VALARM.
    ///
    /// - Parameter component: A VALARM.
    public init(component: ContentComponent) { self.component = component }

    /// Creates an alarm that displays a text.
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

    /// The action in capitals: `DISPLAY`, `AUDIO` or `EMAIL`.
    public var action: String { component["ACTION"]?.value.uppercased() ?? "" }

    /// The text to display.
    public var text: String? { component["DESCRIPTION"].map { TextValue.read($0.value) } }

    /// The time at which it first goes off; nil if the calendar gives no valid time.
    public var trigger: Trigger? {
        guard let line = component["TRIGGER"] else { return nil }
        if let duration = CalendarDuration(line.value) {
            return line.parameter("RELATED")?.uppercased() == "END" ? .end(duration) : .start(duration)
        }
        return line.time.map { .at($0.civil) }
    }

    /// The number of repetitions, and the interval between them; nil if it does not repeat.
    public var repetition: (count: Int, interval: CalendarDuration)? {
        guard let count = component["REPEAT"].flatMap({ Int($0.value) }), count > 0,
            let interval = component["DURATION"].flatMap({ CalendarDuration($0.value) })
        else { return nil }
        return (count, interval)
    }
}
