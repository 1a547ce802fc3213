// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A typed view of a VCALENDAR: what a calendar file holds, or a collection sends of it.
///
/// ```swift
/// let calendar = try CalendarObject(reading: Data(contentsOf: file))
/// let week = DateInterval(start: .now, duration: 7 * 86_400)
/// for occurrence in try calendar.occurrences(of: CalendarEvent.self, in: week, local: .current).occurrences {
///     print(occurrence.interval.start, occurrence.item.summary ?? "")
/// }
/// ```
public struct CalendarObject: Hashable, Sendable {
    /// The component with everything that is in it.
    public var component: ContentComponent

    /// Views a VCALENDAR.
    ///
    /// - Parameter component: A VCALENDAR.
    public init(component: ContentComponent) { self.component = component }

    /// Makes an empty calendar.
    ///
    /// - Parameter product: The program that makes it, such as `-//Example//Calendar 1.0//EN`.
    public init(product: String) {
        component = ContentComponent("VCALENDAR")
        component.set("VERSION", "2.0")
        component.set("PRODID", TextValue.write(product))
    }

    /// Reads the first calendar of a stream.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes.
    ///   - limits: How much they may hold.
    /// - Throws: ``CalendarError``; of the code `notFound` where there is no VCALENDAR.
    public init(
        reading bytes: some Collection<UInt8>, limits: ContentLimits = ContentLimits()
    ) throws(CalendarError) {
        let stream = try ContentStream(reading: bytes, limits: limits)
        guard let first = Self.all(in: stream).first else {
            throw CalendarError(.notFound, "There is no VCALENDAR in the stream.")
        }
        self = first
    }

    /// The calendars of a stream in their order.
    ///
    /// - Parameter stream: A stream.
    /// - Returns: A view of each.
    public static func all(in stream: ContentStream) -> [CalendarObject] {
        stream.components.filter { $0.name == "VCALENDAR" }.map(CalendarObject.init(component:))
    }

    /// The calendar as it is written.
    public var bytes: [UInt8] { component.bytes }

    /// The method of a scheduling message in capitals, if any.
    public var method: String? { component["METHOD"]?.value.uppercased() }
    /// The events and overrides of them, in their order.
    public var events: [CalendarEvent] { items(CalendarEvent.self) }
    /// The to-dos and overrides of them, in their order.
    public var toDos: [CalendarToDo] { items(CalendarToDo.self) }
    /// What others say of when they have time.
    public var freeBusy: [CalendarFreeBusy] { component.components("VFREEBUSY").map(CalendarFreeBusy.init(component:)) }

    /// The items of a type in their order.
    ///
    /// - Parameter type: Events or to-dos.
    /// - Returns: A view of each.
    public func items<Item: CalendarItem>(_ type: Item.Type) -> [Item] {
        component.components(Item.componentName).map(Item.init(component:))
    }

    /// The clocks of the calendar's zones.
    ///
    /// - Parameter local: Where times without a zone are meant.
    /// - Returns: The clocks.
    public func zones(local: TimeZone) -> ZoneTable { ZoneTable(component, local: local) }
}
