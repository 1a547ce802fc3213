// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// An item of a collection, with its content as a calendar.
struct ReadCalendar: Sendable {
    let item: StoreItem
    var calendar: CalendarObject

    /// The change that replaces the content by the calendar as it is now, or deletes the item if nothing is left.
    func change(to calendar: CalendarObject) -> Change<StoreItem> {
        let isEmpty =
            calendar.events.isEmpty && calendar.toDos.isEmpty && calendar.component.components("VJOURNAL").isEmpty
        let after = isEmpty ? nil : StoreItem(id: item.id, content: Data(calendar.bytes))
        return Change(before: item, after: after)
    }
}

/// Reads the calendars of a collection; those that did not change since they were last read are not parsed again.
actor CalendarReader {
    let collection: any ItemCollection
    /// What was read last, by path; without a calendar for content that cannot be read.
    private var known: [String: (content: Data, calendar: CalendarObject?)] = [:]

    init(_ collection: any ItemCollection) { self.collection = collection }

    /// All calendars that can be read, in the order of their paths.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`, or `CancellationError`.
    func all() async throws -> [ReadCalendar] {
        var found: [ReadCalendar] = []
        var seen: [String: (content: Data, calendar: CalendarObject?)] = [:]
        for path in try await collection.paths() {
            try Task.checkCancellation()
            let id = StoreItem.ID(store: collection.name, path: path)
            guard let item = try await collection.listed(id) else { continue }
            let calendar = parsed(item)
            seen[path] = (item.content, calendar)
            if let calendar { found.append(ReadCalendar(item: item, calendar: calendar)) }
        }
        known = seen
        return found
    }

    /// One calendar; nil if there is no such item.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `invalidItem`.
    func calendar(_ id: StoreItem.ID) async throws -> ReadCalendar? {
        guard let item = try await collection.item(id) else { return nil }
        guard let calendar = parsed(item) else {
            throw AssistantError(.invalidItem, "\(id) is not a calendar that can be read.")
        }
        return ReadCalendar(item: item, calendar: calendar)
    }

    /// One calendar that is to be changed.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `storeUnavailable` or `invalidItem`.
    func existing(_ id: StoreItem.ID) async throws -> ReadCalendar {
        guard let calendar = try await calendar(id) else {
            throw AssistantError(.itemNotFound, "\(id) is no longer there.")
        }
        return calendar
    }

    private func parsed(_ item: StoreItem) -> CalendarObject? {
        if let known = known[item.id.path], known.content == item.content { return known.calendar }
        return try? CalendarObject(reading: item.content, limits: .ofItems)
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
