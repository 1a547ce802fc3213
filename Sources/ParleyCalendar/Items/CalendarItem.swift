// SPDX-License-Identifier: Apache-2.0

/// An event or a to-do: a typed view of a component, in which setting a value changes only the line of that value.
public protocol CalendarItem: Hashable, Sendable {
    /// The name of the component, `VEVENT` or `VTODO`.
    static var componentName: String { get }
    /// The component with all of its properties, known or not.
    var component: ContentComponent { get set }
    /// The start and length; nil if there is no start.
    var span: ItemSpan? { get }
    /// Creates a view of a component.
    ///
    /// - Parameter component: A component of the view's name.
    init(component: ContentComponent)
}

/// The start and length of an item.
public struct ItemSpan: Hashable, Sendable {
    /// The length of an item, in the form in which the calendar states it.
    public enum Length: Hashable, Sendable {
        /// An end; all occurrences of a series have the same exact length.
        case end(CalendarTime)
        /// A duration; all occurrences of a series have the same nominal length.
        case duration(CalendarDuration)
    }

    /// When it begins.
    public var start: CalendarTime
    /// How long it is.
    public var length: Length

    /// Creates a span.
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
    /// The identifier, which is shared by a series and its overrides; empty if it is missing.
    public var uid: String { text("UID") ?? "" }
    /// The number of changes that other participants must know of, in the range of 32-bit integers that RFC 5545 allows.
    public var sequence: Int { min(max(component["SEQUENCE"].flatMap { Int($0.value) } ?? 0, 0), Int(Int32.max)) }
    /// When the item was created or last sent, in UTC.
    public var stamp: CalendarTime? { component["DTSTAMP"]?.time }
    /// The title.
    public var summary: String? {
        get { text("SUMMARY") }
        set { setText("SUMMARY", newValue) }
    }
    /// The description.
    public var details: String? {
        get { text("DESCRIPTION") }
        set { setText("DESCRIPTION", newValue) }
    }
    /// The location.
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
    /// Whether it lasts whole days.
    public var isAllDay: Bool { span?.start.isDate ?? false }

    /// The rules by which it recurs; more than one is allowed and rare.
    ///
    /// - Throws: ``CalendarError`` with code `invalidRule`.
    public func rules() throws(CalendarError) -> [RecurrenceRule] {
        var rules: [RecurrenceRule] = []
        for line in component.all("RRULE") { rules.append(try RecurrenceRule(parsing: line.value)) }
        return rules
    }

    /// Sets the rule by which it recurs; nil removes all rules.
    ///
    /// - Parameter rule: The rule.
    public mutating func setRule(_ rule: RecurrenceRule?) {
        component.set("RRULE", rule?.text)
    }

    /// Additional times at which it recurs; those given as periods have their own end.
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

    /// The occurrence that this override replaces; nil for the series itself.
    public var recurrenceID: CalendarTime? { component["RECURRENCE-ID"]?.time }

    /// Whether this override also replaces all later occurrences.
    public var changesLaterOnes: Bool {
        component["RECURRENCE-ID"]?.parameter("RANGE")?.uppercased() == "THISANDFUTURE"
    }

    /// Whether there may be more than one occurrence.
    public var recurs: Bool { component["RRULE"] != nil || component["RDATE"] != nil }

    /// The alarms, in order.
    public var alarms: [CalendarAlarm] { component.components("VALARM").map(CalendarAlarm.init(component:)) }

    /// Adds an alarm.
    ///
    /// - Parameter alarm: The alarm.
    public mutating func add(_ alarm: CalendarAlarm) { component.add(alarm.component) }

    /// Whether another item of the same identity is shown in place of this one: a later version, or one of which the start
    /// can be read.
    func isOlder(than other: Self) -> Bool {
        guard recurrenceID == other.recurrenceID else { return false }
        return hasReadableTime == other.hasReadableTime ? sequence < other.sequence : other.hasReadableTime
    }

    /// Whether it can be shown where it belongs; a to-do need not have a time.
    private var hasReadableTime: Bool { span != nil || Self.componentName == CalendarToDo.componentName }

    func text(_ key: String) -> String? { component[key].map { TextValue.read($0.value) } }

    mutating func setText(_ key: String, _ text: String?) {
        guard text != self.text(key) else { return }
        component.set(key, text.map(TextValue.write))
    }
}

extension ContentLine {
    /// The time zone named by the parameters.
    var zone: String? { parameter("TZID") }

    /// The value as a time; nil if it is not one.
    public var time: CalendarTime? { CalendarTime(value, zone: zone) }
}

extension ContentComponent {
    /// Sets a property to a time, with the parameters that this requires and its others as they were.
    ///
    /// - Parameters:
    ///   - key: The name in capitals.
    ///   - time: The time; nil removes the property.
    public mutating func setTime(_ key: String, _ time: CalendarTime?) {
        let kept = self[key]?.parameters.filter { !["VALUE", "TZID"].contains($0.name.uppercased()) } ?? []
        set(key, time?.text, parameters: (time?.parameters ?? []) + kept)
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
