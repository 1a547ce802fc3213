// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
package import ParleyCalendar

/// An event of the system's calendar, as far as Parley reads and writes it.
///
/// The items of such a store are iCalendar text that is made of these values alone, always in the same order; so the
/// same event gives the same bytes, and two texts are compared by what they mean.
package struct SystemEvent: Hashable, Sendable {
    /// Where a place is on the earth, in degrees.
    package struct Coordinate: Hashable, Sendable {
        /// Degrees north.
        package var latitude: Double
        /// Degrees east.
        package var longitude: Double

        /// Creates a coordinate.
        package init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
    }

    /// Whether the time counts as taken.
    package enum Availability: String, Hashable, Sendable {
        case free = "FREE"
        case tentative = "TENTATIVE"
        case unavailable = "UNAVAILABLE"
    }

    /// The title.
    package var title = ""
    /// Where it takes place.
    package var location: String?
    /// Where that is.
    package var coordinate: Coordinate?
    /// Notes about the event.
    package var notes: String?
    /// An address that belongs to it.
    package var url: String?
    /// When it begins.
    package var start: CalendarTime
    /// When it ends, exclusive, in the zone of the start.
    package var end: CalendarTime
    /// Whether the time counts as taken; nil if it does.
    package var availability: Availability?
    /// When its alarms go off: in seconds after the start, or at a time.
    package var alarms: [CalendarAlarm.Trigger] = []
    /// How it recurs.
    package var rule: RecurrenceRule?
    /// The identifier of the calendar that it is in; nil for the one for new events.
    package var calendar: String?
    /// The original start, for one date of a series.
    package var original: CalendarTime?

    /// Creates an event.
    package init(start: CalendarTime, end: CalendarTime) { (self.start, self.end) = (start, end) }

    /// Whether two events are the same, where no calendar means any.
    package func isSame(as other: SystemEvent) -> Bool {
        var (one, two) = (self, other)
        if one.calendar == nil || two.calendar == nil { (one.calendar, two.calendar) = (nil, nil) }
        // A date that was brought back is an event of its own.
        if one.original == nil || two.original == nil { (one.original, two.original) = (nil, nil) }
        return one == two
    }
}

// MARK: Text

extension SystemEvent {
    private static let availability = "X-PARLEY-AVAILABILITY"
    private static let calendar = "X-PARLEY-CALENDAR"

    /// Reads the text of an item.
    ///
    /// - Parameters:
    ///   - content: An iCalendar object, of which the first event counts.
    ///   - local: The zone for times and days without a zone.
    /// - Throws: ``AssistantError`` with code `invalidItem`.
    package init(reading content: Data, local: TimeZone) throws(AssistantError) {
        let object = try SystemItemText.object(content)
        guard let event = object.events.first, let span = event.span else {
            throw AssistantError(.invalidItem, "The item has no event with a start.")
        }
        let zones = object.zones(local: local)
        self.init(start: span.start, end: SystemItemText.end(of: span, zones))
        title = event.summary ?? ""
        location = SystemItemText.filled(event.location)
        notes = SystemItemText.filled(event.details)
        url = SystemItemText.filled(event.component["URL"]?.value)
        let degrees = event.component["GEO"]?.value.split(separator: ";").compactMap { Double($0) } ?? []
        if degrees.count == 2 { coordinate = Coordinate(latitude: degrees[0], longitude: degrees[1]) }
        let named = event.component[Self.availability].flatMap { Availability(rawValue: $0.value) }
        availability = named ?? (event.isTransparent ? .free : nil)
        alarms = SystemItemText.alarms(of: event, start: start, end: end, zones)
        rule = try SystemItemText.rule(of: event, from: start, zones)
        calendar = event.component[Self.calendar].map { TextValue.read($0.value) }
        original = event.recurrenceID
    }

    /// The text of the item.
    ///
    /// - Parameter uid: What the text gives as its identifier; the system has its own.
    /// - Returns: An iCalendar object.
    package func content(uid: String) -> Data {
        var event = CalendarEvent(
            uid: uid, start: start, end: end, summary: title, stamp: SystemItemText.stamp)
        if let original { event.component.setTime("RECURRENCE-ID", original) }
        event.location = location
        if let coordinate { event.component.set("GEO", "\(coordinate.latitude);\(coordinate.longitude)") }
        event.details = notes
        event.component.set("URL", url)
        if availability == .free { event.isTransparent = true }
        if let availability, availability != .free { event.component.set(Self.availability, availability.rawValue) }
        event.setRule(rule)
        event.component.set(Self.calendar, calendar.map(TextValue.write))
        for trigger in alarms { event.add(CalendarAlarm(trigger, text: title)) }
        return SystemItemText.content(event)
    }

    /// A change with the same meaning whose text is made of these values alone.
    ///
    /// - Parameters:
    ///   - change: A change that was planned over the text of an item.
    ///   - calendar: The calendar of an event that is created.
    ///   - local: The zone for times and days without a zone.
    /// - Returns: The change.
    /// - Throws: ``AssistantError`` with code `invalidItem`.
    package static func canonical(
        _ change: Change<StoreItem>, calendar: String?, local: TimeZone
    ) throws(AssistantError) -> Change<StoreItem> {
        guard let item = change.after else { return change }
        var after = try SystemEvent(reading: item.content, local: local)
        if let before = change.before {
            let old = try SystemEvent(reading: before.content, local: local)
            // The coordinate is that of the old place.
            if old.location != after.location, old.coordinate == after.coordinate { after.coordinate = nil }
        } else {
            after.calendar = after.calendar ?? calendar
        }
        return SystemItemText.change(change.before, item.id) { after.content(uid: $0) }
    }
}
