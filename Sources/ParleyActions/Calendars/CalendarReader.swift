// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// A calendar of an item. Most items have one; in a file that somebody has put together there may be several.
struct ReadCalendar: Sendable {
    /// The item with its whole content.
    let item: StoreItem
    /// The calendar.
    var calendar: CalendarObject
    /// The number of the calendar in the item, from 0, and how many the item has.
    let number: Int
    let count: Int
    /// All of the content, and where in it the calendar is.
    private let stream: ContentStream
    private let place: Int

    /// The calendars of an item, in order; none if it cannot be read.
    static func all(in item: StoreItem) -> [ReadCalendar] {
        guard let stream = try? ContentStream(reading: item.content, limits: .ofItems) else { return [] }
        let found = stream.items.enumerated().compactMap { place, part -> (place: Int, calendar: CalendarObject)? in
            guard case .component(let component) = part, component.name == "VCALENDAR" else { return nil }
            return (place, CalendarObject(component: component))
        }
        return found.enumerated().map { number, part in
            ReadCalendar(
                item: item, calendar: part.calendar, number: number, count: found.count, stream: stream,
                place: part.place)
        }
    }

    /// What stands for a series of this calendar in the whole item, where calendars may have keys in common.
    func key(of series: String) -> String { number == 0 ? series : "@\(number + 1):\(series)" }

    /// The work that this calendar may cause: its share of what the item may.
    var limits: OccurrenceLimits {
        var limits = CalendarContext.limits
        limits.allTimes /= count
        return limits
    }

    /// The change that replaces the calendar; see ``change(with:)``.
    func change(to calendar: CalendarObject) -> Change<StoreItem> {
        var new = self
        new.calendar = calendar
        return new.change(with: [])
    }

    /// The change that writes this calendar, and others of the same item, as they are now. One of which nothing is left
    /// goes, and so does the item with its last one; all other bytes stay.
    func change(with others: [ReadCalendar]) -> Change<StoreItem> {
        var calendars: [Int: CalendarObject] = [:]
        for other in others + [self] { calendars[other.place] = other.calendar }
        var rest = stream
        rest.items = stream.items.enumerated().compactMap { place, part -> ContentItem? in
            guard let calendar = calendars[place], part != .component(calendar.component) else { return part }
            return calendar.isEmpty ? nil : .component(calendar.component)
        }
        let after = rest.components.isEmpty ? nil : StoreItem(id: item.id, content: Data(rest.bytes))
        return Change(before: item, after: after)
    }
}

extension CalendarObject {
    /// Whether the calendar describes zones at most.
    fileprivate var isEmpty: Bool { component.components.allSatisfy { $0.name == "VTIMEZONE" } }
}

/// Reads the calendars of a collection; those that did not change since they were last read are not parsed again.
actor CalendarReader {
    let collection: any ItemCollection
    /// What was read last, by path; without calendars for content that cannot be read.
    private var known: [String: (content: Data, calendars: [ReadCalendar])] = [:]

    init(_ collection: any ItemCollection) { self.collection = collection }

    /// All calendars that can be read, in the order of their paths.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`, or `CancellationError`.
    func all() async throws -> [ReadCalendar] {
        var found: [ReadCalendar] = []
        var seen: [String: (content: Data, calendars: [ReadCalendar])] = [:]
        for path in try await collection.paths() {
            try Task.checkCancellation()
            let id = StoreItem.ID(store: collection.name, path: path)
            guard let item = try await collection.listed(id) else { continue }
            let calendars = parsed(item)
            seen[path] = (item.content, calendars)
            found += calendars
        }
        known = seen
        return found
    }

    /// The calendars of an item; none if there is no such item.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `invalidItem`.
    func calendars(_ id: StoreItem.ID) async throws -> [ReadCalendar] {
        guard let item = try await collection.item(id) else { return [] }
        let calendars = parsed(item)
        guard !calendars.isEmpty else {
            throw AssistantError(.invalidItem, "\(id) is not a calendar that can be read.")
        }
        return calendars
    }

    /// The calendars of an item that is to be changed: at least one.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `storeUnavailable` or `invalidItem`.
    func existing(_ id: StoreItem.ID) async throws -> [ReadCalendar] {
        let calendars = try await calendars(id)
        guard !calendars.isEmpty else { throw AssistantError(.itemNotFound, "\(id) is no longer there.") }
        return calendars
    }

    private func parsed(_ item: StoreItem) -> [ReadCalendar] {
        if let known = known[item.id.path], known.content == item.content { return known.calendars }
        return ReadCalendar.all(in: item)
    }
}

/// What the plans of changes need from outside: the time, the user's zone, identifiers, and where new items go.
struct CalendarContext: Sendable {
    let timeZone: TimeZone
    let folder: String
    let now: @Sendable () -> Date
    let newUID: @Sendable () -> String

    /// The name of the program in calendars that it creates.
    static let product = "-//Parley//Parley//EN"
    /// The work that one item may cause; calendars of others are untrusted.
    static let limits = {
        var limits = OccurrenceLimits()
        (limits.occurrences, limits.times, limits.allTimes) = (20_000, 200_000, 20_000_000)
        return limits
    }()

    /// The present time in UTC.
    var stamp: CivilTime { CivilTime(now()) }

    /// A time in the user's zone, or in UTC where that is the user's zone, or where clocks show the time twice and this
    /// is the second one.
    func time(_ instant: Date) -> CalendarTime {
        let utc = CivilTime(instant)
        if ["GMT", "UTC", "Etc/UTC", "Etc/GMT"].contains(timeZone.identifier) { return .utc(utc) }
        let clock = ZoneClock(timeZone)
        let civil = clock.time(at: utc.seconds)
        return clock.instant(of: civil) == utc.seconds ? .zoned(civil, zone: timeZone.identifier) : .utc(utc)
    }

    /// The item for a new calendar.
    func item(_ calendar: CalendarObject, uid: String, store: String) -> StoreItem {
        let path = folder.isEmpty ? "\(uid).ics" : "\(folder)/\(uid).ics"
        return StoreItem(id: StoreItem.ID(store: store, path: path), content: Data(calendar.bytes))
    }
}

extension CivilTime {
    /// The time of an instant in UTC, in whole seconds, within the years that a calendar can name.
    init(_ instant: Date) {
        // A day within them, so that the time in any zone is as well.
        let (first, last) = (Double(Self.earliest.seconds + 86_400), Double(Self.latest.seconds - 86_400))
        self.init(seconds: Int(max(first, min(last, instant.timeIntervalSince1970.rounded(.down)))))
    }
}

extension AssistantError {
    /// The error of an item that ParleyCalendar cannot change.
    init(_ error: CalendarError) {
        let code: Code = error.code == .notFound ? .itemNotFound : .invalidItem
        self.init(code, error.message, cause: error)
    }
}
