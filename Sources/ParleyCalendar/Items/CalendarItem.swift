// SPDX-License-Identifier: Apache-2.0

/// What events and to-dos have in common: a typed view of a component, in which setting a value changes its line alone.
public protocol CalendarItem: Hashable, Sendable {
    /// The name of the component, `VEVENT` or `VTODO`.
    static var componentName: String { get }
    /// The component with everything that is in it, known or not.
    var component: ContentComponent { get set }
    /// When it ends, or how long it is.
    var span: ItemSpan? { get }
    /// Views a component.
    ///
    /// - Parameter component: A component of the view's name.
    init(component: ContentComponent)
}

/// From when an item is, and for how long.
public struct ItemSpan: Hashable, Sendable {
    /// How long an item is, in the terms in which the calendar says it.
    public enum Length: Hashable, Sendable {
        /// Until this time; what recurs has the same exact length each time.
        case end(CalendarTime)
        /// For this long; what recurs has the same nominal length each time.
        case duration(CalendarDuration)
    }

    /// When it begins.
    public var start: CalendarTime
    /// How long it is.
    public var length: Length

    /// Makes a span.
    ///
    /// - Parameters:
    ///   - start: When it begins.
    ///   - length: How long it is.
    public init(start: CalendarTime, length: Length) {
        self.start = start
        self.length = length
    }
}

extension CalendarItem {
    /// The identifier, which all overrides of a series share; empty where it is missing.
    public var uid: String { text("UID") ?? "" }
    /// How often the item was changed in a way that others must know, from 0.
    public var sequence: Int { component["SEQUENCE"].flatMap { Int($0.value) } ?? 0 }
    /// When the item was made or last sent, in UTC.
    public var stamp: CalendarTime? { component["DTSTAMP"]?.time }
    /// The title.
    public var summary: String? {
        get { text("SUMMARY") }
        set { setText("SUMMARY", newValue) }
    }
    /// What is to be said about it.
    public var details: String? {
        get { text("DESCRIPTION") }
        set { setText("DESCRIPTION", newValue) }
    }
    /// Where it is.
    public var location: String? {
        get { text("LOCATION") }
        set { setText("LOCATION", newValue) }
    }
    /// The status in capitals, such as `CONFIRMED`, `CANCELLED`, `NEEDS-ACTION` or `COMPLETED`.
    public var status: String? {
        get { component["STATUS"]?.value.uppercased() }
        set { component.set("STATUS", newValue) }
    }
    /// The categories of all lines.
    public var categories: [String] {
        get { component.all("CATEGORIES").flatMap { TextValue.split($0.value).map(TextValue.read) } }
        set {
            let value = newValue.map(TextValue.write).joined(separator: ",")
            component.set("CATEGORIES", newValue.isEmpty ? nil : value)
        }
    }
    /// When it begins.
    public var start: CalendarTime? {
        get { component["DTSTART"]?.time }
        set { component.setTime("DTSTART", newValue) }
    }
    /// Whether it is of whole days.
    public var isAllDay: Bool { span?.start.isDate ?? false }

    /// The rules by which it recurs; more than one is allowed and rare.
    ///
    /// - Throws: ``CalendarError`` of the code `invalidRule`.
    public func rules() throws(CalendarError) -> [RecurrenceRule] {
        var rules: [RecurrenceRule] = []
        for line in component.all("RRULE") { rules.append(try RecurrenceRule(parsing: line.value)) }
        return rules
    }

    /// Sets the one rule by which it recurs; nil removes it.
    ///
    /// - Parameter rule: The rule.
    public mutating func setRule(_ rule: RecurrenceRule?) {
        component.set("RRULE", rule?.text)
    }

    /// Further times at which it recurs; periods among them have an end of their own.
    public var additions: [(start: CalendarTime, period: CalendarPeriod?)] {
        component.all("RDATE").flatMap { line in
            line.value.split(separator: ",").compactMap { value in
                if let period = CalendarPeriod(value, zone: line.zone) { return (period.start, period) }
                return CalendarTime(value, zone: line.zone).map { ($0, nil) }
            }
        }
    }

    /// Times at which it does not recur.
    public var exceptions: [CalendarTime] {
        component.all("EXDATE").flatMap { line in
            line.value.split(separator: ",").compactMap { CalendarTime($0, zone: line.zone) }
        }
    }

    /// Which occurrence of its series this item takes the place of; nil for the series itself.
    public var recurrenceID: CalendarTime? { component["RECURRENCE-ID"]?.time }

    /// Whether it takes the place of all later occurrences as well.
    public var changesLaterOnes: Bool {
        component["RECURRENCE-ID"]?.parameter("RANGE")?.uppercased() == "THISANDFUTURE"
    }

    /// Whether more than one occurrence is described.
    public var recurs: Bool { component["RRULE"] != nil || component["RDATE"] != nil }

    /// The alarms in their order.
    public var alarms: [CalendarAlarm] { component.components("VALARM").map(CalendarAlarm.init(component:)) }

    /// Adds an alarm.
    ///
    /// - Parameter alarm: The alarm.
    public mutating func add(_ alarm: CalendarAlarm) { component.add(alarm.component) }

    func text(_ key: String) -> String? { component[key].map { TextValue.read($0.value) } }

    mutating func setText(_ key: String, _ text: String?) {
        guard text != self.text(key) else { return }
        component.set(key, text.map(TextValue.write))
    }
}

extension ContentLine {
    /// The zone that a time's parameters name.
    var zone: String? { parameter("TZID") }

    /// The value as a time, nil where it is none.
    public var time: CalendarTime? { CalendarTime(value, zone: zone) }
}

extension ContentComponent {
    /// Sets a property to a time, with the parameters that go with it.
    ///
    /// - Parameters:
    ///   - key: The name in capitals.
    ///   - time: The time; nil removes the property.
    ///   - parameters: Further parameters.
    public mutating func setTime(_ key: String, _ time: CalendarTime?, parameters: [ContentParameter] = []) {
        let kept = self[key]?.parameters.filter { !["VALUE", "TZID"].contains($0.name.uppercased()) } ?? []
        set(key, time?.text, parameters: (time?.parameters ?? []) + (parameters.isEmpty ? kept : parameters))
    }
}

extension CalendarTime {
    /// The parameters that a line with this value needs.
    var parameters: [ContentParameter] {
        switch self {
        case .date: [ContentParameter("VALUE", "DATE")]
        case .floating, .utc: []
        case .zoned(_, let zone): [ContentParameter("TZID", zone)]
        }
    }
}
