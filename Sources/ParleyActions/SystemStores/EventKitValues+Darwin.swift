// SPDX-License-Identifier: Apache-2.0

#if canImport(EventKit)
    import EventKit
    import Foundation
    import ParleyAssistant
    import ParleyCalendar

    extension RecurrenceRule {
        /// Reads a rule of the system, in the one form that texts have it in.
        init(_ rule: EKRecurrenceRule, from start: CalendarTime?, _ clock: ZoneClock) {
            let frequency: Frequency =
                switch rule.frequency {
                case .daily: .daily
                case .weekly: .weekly
                case .monthly: .monthly
                case .yearly: .yearly
                @unknown default: .yearly
                }
            var read = RecurrenceRule(frequency, interval: rule.interval)
            if let date = rule.recurrenceEnd?.endDate {
                let last = CivilTime(date)
                read.end = .until(start?.isDate == true ? .date(clock.time(at: last.seconds).date) : .utc(last))
            } else if let count = rule.recurrenceEnd?.occurrenceCount, count > 0 {
                read.end = .count(count)
            }
            read.days = (rule.daysOfTheWeek ?? []).compactMap { day in
                // The system counts weekdays from 1 for Sunday, ISO 8601 from 1 for Monday.
                guard let weekday = Weekday(number: (day.dayOfTheWeek.rawValue + 5) % 7 + 1) else { return nil }
                return Day(weekday, ordinal: day.weekNumber == 0 ? nil : day.weekNumber)
            }
            func numbers(_ list: [NSNumber]?) -> [Int] { (list ?? []).map { $0.intValue }.sorted() }
            read.monthDays = numbers(rule.daysOfTheMonth)
            read.yearDays = numbers(rule.daysOfTheYear)
            read.weekNumbers = numbers(rule.weeksOfTheYear)
            read.months = numbers(rule.monthsOfTheYear)
            read.setPositions = numbers(rule.setPositions)
            self = SystemItemText.canonical(read, from: start, clock)
        }

        /// The rule for the system.
        ///
        /// - Throws: ``AssistantError`` with code `invalidItem` for a rule that the system cannot keep.
        func eventKit(_ clock: ZoneClock) throws(AssistantError) -> EKRecurrenceRule {
            let frequencies: [Frequency: EKRecurrenceFrequency] = [
                .daily: .daily, .weekly: .weekly, .monthly: .monthly, .yearly: .yearly,
            ]
            let isKept = seconds.isEmpty && minutes.isEmpty && hours.isEmpty
            guard isKept, let frequency = frequencies[frequency], frequency != .daily || days.isEmpty else {
                throw AssistantError(.invalidItem, "The system's calendar cannot keep such a rule of recurrence.")
            }
            let weekdays = days.compactMap { day -> EKRecurrenceDayOfWeek? in
                guard let weekday = EKWeekday(rawValue: day.weekday.number % 7 + 1) else { return nil }
                guard let ordinal = day.ordinal else { return EKRecurrenceDayOfWeek(weekday) }
                return EKRecurrenceDayOfWeek(weekday, weekNumber: ordinal)
            }
            let last: EKRecurrenceEnd?
            switch end {
            case .never: last = nil
            case .count(let count): last = EKRecurrenceEnd(occurrenceCount: count)
            case .until(.utc(let time)):
                last = EKRecurrenceEnd(end: Date(timeIntervalSince1970: Double(time.seconds)))
            case .until(let time):
                let moment = CivilTime(seconds: (time.civil.date.dayNumber + 1) * 86_400 - 1)
                last = EKRecurrenceEnd(end: Date(timeIntervalSince1970: Double(clock.instant(of: moment))))
            }
            func numbers(_ list: [Int]) -> [NSNumber]? { list.isEmpty ? nil : list.map { NSNumber(value: $0) } }
            return EKRecurrenceRule(
                recurrenceWith: frequency, interval: interval, daysOfTheWeek: weekdays.isEmpty ? nil : weekdays,
                daysOfTheMonth: numbers(monthDays), monthsOfTheYear: numbers(months),
                weeksOfTheYear: numbers(weekNumbers), daysOfTheYear: numbers(yearDays),
                setPositions: numbers(setPositions), end: last)
        }
    }

    extension EKCalendarItem {
        /// The alarms at times; alarms at places are none of Parley's business.
        var triggers: [CalendarAlarm.Trigger] {
            let found = (alarms ?? []).filter { $0.proximity == .none }.map { alarm -> CalendarAlarm.Trigger in
                if let date = alarm.absoluteDate { return .at(CivilTime(date)) }
                return .start(CalendarDuration(seconds: Int(alarm.relativeOffset)))
            }
            return SystemItemText.sorted(found)
        }

        /// Replaces the alarms at times; those at places stay.
        func setTriggers(_ triggers: [CalendarAlarm.Trigger]) {
            var all = (alarms ?? []).filter { $0.proximity != .none }
            for trigger in triggers {
                switch trigger {
                case .start(let offset), .end(let offset):
                    let seconds = offset.days * 86_400 + offset.seconds
                    all.append(EKAlarm(relativeOffset: Double(seconds)))
                case .at(let time): all.append(EKAlarm(absoluteDate: Date(timeIntervalSince1970: Double(time.seconds))))
                }
            }
            alarms = all.isEmpty ? nil : all
        }

        /// Whether something of it could not be brought back after it was deleted.
        var hasMoreThanText: Bool { hasAttendees || (alarms ?? []).contains { $0.proximity != .none } }
    }

    extension EKEventStore {
        /// Does work on the database; what fails leaves nothing behind in it.
        ///
        /// - Throws: ``AssistantError``, with code `storeUnavailable` for what the system does not take.
        func attempt(_ work: (EKEventStore) throws -> Void) throws {
            do {
                try work(self)
            } catch let error as AssistantError {
                reset()
                throw error
            } catch {
                reset()
                throw AssistantError(.storeUnavailable, "The system has not taken the change.", cause: error)
            }
        }
    }

    extension SystemItemPath {
        /// The error of an item that is not what a change expects.
        var changed: AssistantError {
            AssistantError(.itemChanged, "\(text) was changed meanwhile; look at it and try again.")
        }
    }

    /// Asks for the right to use one kind of items.
    ///
    /// - Parameters:
    ///   - store: The database.
    ///   - type: Events or reminders.
    ///   - isolation: The actor that owns the database.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` if the user has not given it.
    func requireAccess(
        to store: EKEventStore, _ type: EKEntityType, isolation: isolated (any Actor)? = #isolation
    ) async throws(AssistantError) {
        switch EKEventStore.authorizationStatus(for: type) {
        case .fullAccess: return
        case .notDetermined:
            let isGranted = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer: @Sendable (Bool, (any Error)?) -> Void = { isGranted, _ in
                    continuation.resume(returning: isGranted)
                }
                switch type {
                case .reminder: store.requestFullAccessToReminders(completion: answer)
                default: store.requestFullAccessToEvents(completion: answer)
                }
            }
            if isGranted { return }
        default: break
        }
        let what = type == .reminder ? "Reminders" : "Calendars"
        throw AssistantError(
            .storeUnavailable,
            "This app may not use what is in \(what). Allow full access in the system's settings, Privacy & Security.")
    }
#endif
