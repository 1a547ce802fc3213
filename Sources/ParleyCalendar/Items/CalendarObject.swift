// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A typed view of a VCALENDAR, such as a calendar file or a part of a collection.
///
/// ```swift
/// let calendar = try CalendarObject(reading: Data(contentsOf: file))
/// let week = DateInterval(start: .now, duration: 7 * 86_400)
/// for occurrence in try calendar.occurrences(of: CalendarEvent.self, in: week, local: .current).occurrences {
///     print(occurrence.interval.start, occurrence.item.summary ?? "")
/// }
/// ```
public struct CalendarObject: Hashable, Sendable {
    /// The component with all of its properties.
    public var component: ContentComponent

    /// Creates a view of a VCALENDAR.
    ///
    /// - Parameter component: A VCALENDAR.
    public init(component: ContentComponent) { self.component = component }

    /// Creates an empty calendar.
    ///
    /// - Parameter product: The program that creates it, such as `-//Example//Calendar 1.0//EN`.
    public init(product: String) {
        component = ContentComponent("VCALENDAR")
        component.set("VERSION", "2.0")
        component.set("PRODID", TextValue.write(product))
    }

    /// Reads the first calendar of a stream.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes.
    ///   - limits: The limits on the size of the stream.
    /// - Throws: ``CalendarError``, with code `notFound` if there is no VCALENDAR.
    public init(
        reading bytes: some Collection<UInt8>, limits: ContentLimits = ContentLimits()
    ) throws(CalendarError) {
        let stream = try ContentStream(reading: bytes, limits: limits)
        guard let first = Self.all(in: stream).first else {
            throw CalendarError(.notFound, "There is no VCALENDAR in the stream.")
        }
        self = first
    }

    /// The calendars in a stream, in order.
    ///
    /// - Parameter stream: A stream.
    /// - Returns: A view of each.
    public static func all(in stream: ContentStream) -> [CalendarObject] {
        stream.components.filter { $0.name == "VCALENDAR" }.map(CalendarObject.init(component:))
    }

    /// The serialised calendar.
    public var bytes: [UInt8] { component.bytes }

    /// The method of a scheduling message in capitals; nil if it is not one.
    public var method: String? { component["METHOD"]?.value.uppercased() }
    /// The events and their overrides, in order.
    public var events: [CalendarEvent] { items(CalendarEvent.self) }
    /// The to-dos and their overrides, in order.
    public var toDos: [CalendarToDo] { items(CalendarToDo.self) }
    /// The times at which people are busy or free.
    public var freeBusy: [CalendarFreeBusy] { component.components("VFREEBUSY").map(CalendarFreeBusy.init(component:)) }

    /// The items of a type, in order.
    ///
    /// - Parameter type: Events or to-dos.
    /// - Returns: A view of each.
    public func items<Item: CalendarItem>(_ type: Item.Type) -> [Item] {
        component.components(Item.componentName).map(Item.init(component:))
    }

    /// The clocks of the calendar's time zones.
    ///
    /// - Parameter local: The zone for times without a zone.
    /// - Returns: The clocks.
    public func zones(local: TimeZone) -> ZoneTable { ZoneTable(component, local: local) }
}
