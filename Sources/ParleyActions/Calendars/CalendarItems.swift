// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
import ParleyCalendar

/// The events of a collection of iCalendar items: a vdir, as vdirsyncer and khal keep it, or a calendar server.
///
/// Changes keep every line that they do not concern, byte for byte. Reading all items takes time in proportion to their
/// number; only items that changed are parsed again.
public struct CalendarItems: CalendarStore {
    private let collection: any ItemCollection
    let reader: CalendarReader
    let context: CalendarContext

    /// Creates a store of events.
    ///
    /// - Parameters:
    ///   - collection: Items with the suffix `ics`.
    ///   - timeZone: The user's zone, for new events and for times without a zone.
    ///   - folder: The folder of the collection in which new events are created; empty for a collection without folders.
    ///   - now: Returns the present time.
    ///   - newUID: Returns an identifier that no other event has, which is also the name of the item.
    public init(
        _ collection: any ItemCollection, timeZone: TimeZone, folder: String = "personal",
        now: @escaping @Sendable () -> Date = { Date() },
        newUID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) {
        self.collection = collection
        reader = CalendarReader(collection)
        context = CalendarContext(timeZone: timeZone, folder: folder, now: now, newUID: newUID)
    }

    /// The name of the collection.
    public var name: String { collection.name }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: As the collection does.
    public func item(_ id: StoreItem.ID) async throws -> StoreItem? { try await collection.item(id) }

    /// Makes a change; see ``ItemStore``.
    ///
    /// - Throws: As the collection does.
    public func apply(_ change: Change<StoreItem>) async throws { try await collection.apply(change) }

    /// The events that overlap a range, in the order of their starts.
    ///
    /// Items that cannot be read are left out, and so are the dates of a rule that is not valid.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, or `tooLarge` for more than 100,000 events.
    public func events(in range: DateInterval) async throws -> [StoredEvent] {
        var found: [(interval: DateInterval, event: StoredEvent)] = []
        for item in try await reader.all() where !item.calendar.events.isEmpty {
            try Task.checkCancellation()
            let list = try? item.calendar.occurrences(
                of: CalendarEvent.self, in: range, local: context.timeZone, limits: item.limits)
            guard let dates = list?.occurrences, !dates.isEmpty else { continue }
            let kinds = EventKinds(item)
            for occurrence in dates {
                found.append((occurrence.interval, StoredEvent(occurrence, in: item, kinds)))
            }
            guard found.count <= 100_000 else {
                throw AssistantError(.tooLarge, "There are more than 100,000 events; ask for fewer days.")
            }
        }
        return found.sorted { ($0.interval.start, $0.interval.end) < ($1.interval.start, $1.interval.end) }.map(\.event)
    }

    /// The event with an identifier as it is now; nil if it no longer exists.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `invalidItem`.
    public func event(_ id: StoredEvent.ID) async throws -> StoredEvent? {
        let calendars = try await reader.calendars(id.item)
        return occurrence(id, in: calendars).map { number, occurrence in
            StoredEvent(occurrence, in: calendars[number], EventKinds(calendars[number]))
        }
    }

    /// The occurrence that an identifier means, and which of the calendars of its item has it; nil if it no longer exists.
    func occurrence(
        _ id: StoredEvent.ID, in calendars: [ReadCalendar]
    ) -> (calendar: Int, occurrence: Occurrence<CalendarEvent>)? {
        let place = EventPlace(id.recurrence)
        for (number, item) in calendars.enumerated() {
            let all = item.calendar.series(of: CalendarEvent.self)
            guard let own = all.first(where: { place.uid == nil || item.key(of: $0.key) == place.uid }) else {
                continue
            }
            let zones = item.calendar.zones(local: context.timeZone)
            if let found = own.occurrence(at: place.time, zones: zones, most: CalendarContext.limits.times) {
                return (number, found)
            }
        }
        return nil
    }
}

/// Which event of an item, and which date of it; the content of ``StoredEvent/ID/recurrence``.
///
/// Written as the original start as in iCalendar, after the zone and a colon if it has one. In an item with several
/// events, which a vdir does not have but an exported file does, a space and the UID follow, or what stands for a missing
/// one.
struct EventPlace: Hashable {
    var time: CalendarTime?
    var uid: String?

    init(time: CalendarTime?, uid: String?) { (self.time, self.uid) = (time, uid) }

    init(_ text: String?) {
        guard let text else { return }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { uid = String(parts[1]) }
        let sides = parts[0].split(separator: ":", maxSplits: 1)
        guard let last = sides.last else { return }
        time = CalendarTime(last, zone: sides.count == 2 ? Self.unescaped(sides[0]) : nil)
    }

    var text: String? {
        var text = time?.text ?? ""
        if case .zoned(_, let zone)? = time { text = Self.escaped(zone) + ":" + text }
        if let uid { text += " " + uid }
        return text.isEmpty ? nil : text
    }

    // Names of zones are free text.
    private static func escaped(_ zone: String) -> String {
        zone.replacing("%", with: "%25").replacing(" ", with: "%20").replacing(":", with: "%3A")
    }

    private static func unescaped(_ zone: Substring) -> String { zone.removingPercentEncoding ?? String(zone) }
}

/// What has to be known of all events of an item to describe one of them.
struct EventKinds {
    /// Whether there are events with different UIDs, or there may be.
    let hasSeveral: Bool
    /// The keys of those that recur.
    let recurring: Set<String>

    init(_ item: ReadCalendar) {
        let series = item.calendar.series(of: CalendarEvent.self)
        hasSeveral = item.count > 1 || series.count > 1
        recurring = Set(series.filter { $0.master?.recurs == true }.map(\.key))
    }
}

extension StoredEvent {
    init(_ occurrence: Occurrence<CalendarEvent>, in item: ReadCalendar, _ kinds: EventKinds) {
        let event = occurrence.item
        let recurs = event.recurrenceID != nil || kinds.recurring.contains(occurrence.key)
        let place = EventPlace(
            time: recurs ? occurrence.recurrenceID : nil, uid: kinds.hasSeveral ? item.key(of: occurrence.key) : nil)
        let time: EventTime
        if occurrence.isAllDay {
            let first = occurrence.start.civil.date
            time = .allDay(first...max(first, occurrence.end.civil.date - 1))
        } else {
            time = .timed(occurrence.interval)
        }
        self.init(
            id: ID(item: item.item.id, recurrence: place.text), title: event.summary ?? "", time: time,
            location: event.location, notes: event.details, isRecurring: recurs,
            isBusy: !event.isTransparent && event.status != "CANCELLED")
    }
}
