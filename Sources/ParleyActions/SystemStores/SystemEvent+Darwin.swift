// SPDX-License-Identifier: Apache-2.0

#if canImport(EventKit)
    import CoreLocation
    import EventKit
    import Foundation
    import ParleyAssistant
    import ParleyCalendar

    extension SystemEvent {
        /// Reads an event of the system.
        ///
        /// - Parameters:
        ///   - event: The event.
        ///   - original: The original start, if the text is to be that of one date of a series.
        ///   - clock: Converts its times.
        init(_ event: EKEvent, original: CalendarTime?, _ clock: SystemClock) {
            let begin: Date = event.startDate ?? Date(timeIntervalSince1970: 0)
            let finish: Date = max(begin, event.endDate ?? begin)
            if event.isAllDay {
                // The system's whole days end with their last second, or with the next midnight.
                let last = clock.day(max(begin, finish.addingTimeInterval(-1)))
                self.init(start: .date(clock.day(begin)), end: .date(last + 1))
            } else {
                let start = clock.time(begin, in: event.timeZone)
                self.init(start: start, end: clock.time(finish, like: start))
            }
            title = SystemItemText.plain(event.title) ?? ""
            location = SystemItemText.plain(event.location)
            if let place = event.structuredLocation?.geoLocation?.coordinate {
                coordinate = Coordinate(latitude: place.latitude, longitude: place.longitude)
            }
            notes = SystemItemText.plain(event.notes)
            url = SystemItemText.filled(event.url?.absoluteString)
            switch event.availability {
            case .free: availability = .free
            case .tentative: availability = .tentative
            case .unavailable: availability = .unavailable
            default: availability = nil
            }
            alarms = event.triggers
            if original == nil, let first = event.recurrenceRules?.first {
                rule = RecurrenceRule(first, from: start, clock.clock(of: start))
            }
            calendar = event.calendar?.calendarIdentifier
            self.original = original
        }

        /// Writes what differs from an earlier state into an event of the system, which is not saved yet.
        ///
        /// - Parameters:
        ///   - event: The event.
        ///   - old: The state of the event; nil for a new one.
        ///   - clock: Converts its times.
        ///   - store: The database.
        /// - Throws: ``AssistantError`` with code `invalidItem`, or `storeUnavailable` if the calendar is gone.
        func write(
            to event: EKEvent, insteadOf old: SystemEvent?, _ clock: SystemClock, in store: EKEventStore
        ) throws(AssistantError) {
            if old?.calendar != calendar || old == nil {
                let target = calendar.map { store.calendar(withIdentifier: $0) } ?? store.defaultCalendarForNewEvents
                guard let target, target.allowsContentModifications else {
                    throw AssistantError(
                        .storeUnavailable, "The calendar of the event is gone or cannot be changed; choose another.")
                }
                event.calendar = target
            }
            if old?.title != title { event.title = title }
            if old?.start != start || old?.end != end {
                event.isAllDay = start.isDate
                event.timeZone = clock.zone(of: start)
                event.startDate = clock.instant(start)
                // The last day of whole days belongs to them, by any moment of it.
                event.endDate = clock.instant(start.isDate ? .date(end.civil.date - 1) : end)
            }
            if old?.location != location || old?.coordinate != coordinate {
                var place: EKStructuredLocation?
                if let coordinate {
                    place = EKStructuredLocation(title: location ?? "")
                    place?.geoLocation = CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude)
                }
                event.structuredLocation = place
                event.location = location
            }
            if old?.notes != notes { event.notes = notes }
            if old?.url != url { event.url = url.flatMap { URL(string: $0) } }
            if old?.availability != availability {
                switch availability {
                case .free?: event.availability = .free
                case .tentative?: event.availability = .tentative
                case .unavailable?: event.availability = .unavailable
                case nil: event.availability = .busy
                }
            }
            if (old?.alarms ?? []) != alarms { event.setTriggers(alarms) }
            if original == nil, old?.rule != rule {
                var rules: [EKRecurrenceRule]?
                if let rule { rules = [try rule.eventKit(clock.clock(of: start))] }
                event.recurrenceRules = rules
            }
        }
    }

    extension StoredEvent {
        /// An event of the system as cards show it.
        init(_ event: EKEvent, id: ID, _ clock: SystemClock) {
            let begin: Date = event.startDate ?? Date(timeIntervalSince1970: 0)
            let finish: Date = max(begin, event.endDate ?? begin)
            let time: EventTime
            if event.isAllDay {
                time = .allDay(clock.day(begin)...clock.day(max(begin, finish.addingTimeInterval(-1))))
            } else {
                time = .timed(DateInterval(start: begin, end: finish))
            }
            self.init(
                id: id, title: event.title ?? "", time: time, location: SystemItemText.filled(event.location),
                notes: SystemItemText.filled(event.notes), isRecurring: event.hasRecurrenceRules || event.isDetached,
                isBusy: event.availability != .free && event.status != .canceled)
        }
    }
#endif
