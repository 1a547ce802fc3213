// SPDX-License-Identifier: Apache-2.0

// Works on a folder of calendars with the stores of ParleyActions, for interoperate.py and check-caldav:
//
//     stores FOLDER make                  creates events and a reminder
//     stores FOLDER list FROM TO          writes a line for each event
//     stores FOLDER open                  writes a line for each open reminder
//     stores FOLDER rename OLD NEW SCOPE  renames an event: one date of it (occurrence) or all (series)
//     stores FOLDER done TITLE            marks a reminder as done
//     stores FOLDER time FROM TO          lists twice and writes the seconds that each took
//     stores FOLDER act LOG NAME BLOCK    carries out an action block, new events in the calendar NAME; writes its number
//     stores FOLDER undo LOG NUMBER       undoes an entry of the log; writes why it cannot

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyConversation

let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

func day(_ text: String) throws -> Date { try Date(text + "T00:00:00Z", strategy: .iso8601) }

func timed(_ text: String, minutes: Double) throws -> EventTime {
    .timed(DateInterval(start: try Date(text, strategy: .iso8601), duration: minutes * 60))
}

func make(_ calendar: CalendarItems, _ reminders: ReminderItems) async throws {
    var fields = EventFields()
    (fields.title, fields.location, fields.notes) = ("Dentist; Dr. Müller, 2nd floor", "Main St 1", "Card\nand teeth")
    (fields.time, fields.reminderMinutes) = (try timed("2026-03-10T08:30:00Z", minutes: 45), 30)
    try await calendar.apply(try await calendar.creation(of: fields))
    fields = EventFields()
    fields.title = "Stand-up"
    fields.time = try timed("2026-03-23T08:00:00Z", minutes: 15)
    var rule = Recurrence(.weekly, on: [.monday, .wednesday])
    rule.until = CivilDate(year: 2026, month: 4, day: 30)
    fields.recurrence = rule
    try await calendar.apply(try await calendar.creation(of: fields))
    fields = EventFields()
    if let first = CivilDate(year: 2026, month: 3, day: 12) {
        (fields.title, fields.time) = ("Fair", .allDay(first...(first + 2)))
    }
    try await calendar.apply(try await calendar.creation(of: fields))
    let due = try Date("2026-07-01T16:00:00Z", strategy: .iso8601)
    try await reminders.apply(try await reminders.creation(title: "Water the plants", body: "all", at: due))
}

let arguments = CommandLine.arguments
let folder = FolderStore(name: "calendar", folder: URL(filePath: arguments[1]), suffix: "ics", depth: 2)
let calendar = CalendarItems(folder, timeZone: zone)
let reminders = ReminderItems(folder, timeZone: zone)

func range() throws -> DateInterval { DateInterval(start: try day(arguments[3]), end: try day(arguments[4])) }

func runner() async throws -> ActionRunner {
    var settings = ActionRunner.Settings()
    for tag in ActionTag.allCases { settings.policy.set(tag, .automatic) }
    let name = arguments[2] == "act" ? arguments[4] : ""
    return await ActionRunner(
        stores: AssistantStores(calendar: CalendarItems(folder, timeZone: zone, folder: name)),
        log: try ActionLog(at: URL(filePath: arguments[3])), settings: settings,
        context: { DateContext(now: Date(), timeZone: zone, locale: Locale(identifier: "en_GB")) })
}

switch arguments[2] {
case "make": try await make(calendar, reminders)
case "list":
    for event in try await calendar.events(in: try range()) {
        switch event.time {
        case .timed(let interval): print(interval.start.ISO8601Format(), event.title, event.location ?? "")
        case .allDay(let days): print(days.lowerBound, days.count, event.title)
        }
    }
case "open":
    for reminder in try await reminders.openReminders() {
        print(reminder.due?.ISO8601Format() ?? "-", reminder.title)
    }
case "rename":
    let year = DateInterval(start: try day("2026-01-01"), end: try day("2027-01-01"))
    let found = try await calendar.events(in: year).filter { $0.title == arguments[3] }
    guard let event = found.dropFirst().first ?? found.first, let scope = EventScope(rawValue: arguments[5]) else {
        exit(1)
    }
    var fields = EventFields()
    fields.title = arguments[4]
    try await calendar.apply(try await calendar.update(of: event.id, scope: scope, with: fields))
case "done":
    guard let reminder = try await reminders.openReminders().first(where: { $0.title == arguments[3] }) else { exit(1) }
    try await reminders.apply(try await reminders.completion(of: reminder.id, at: Date()))
case "time":
    for _ in 1...2 {
        let start = ContinuousClock.now
        let count = try await calendar.events(in: try range()).count
        print(count, "events", ContinuousClock.now - start)
    }
case "act":
    let runner = try await runner()
    _ = await runner.run(
        FinishedReply(
            chat: "check", message: UUID().uuidString, text: "[CALENDAR_ACTION:\(arguments[5])]", finish: .stop,
            readsUntrusted: false))
    guard let entry = await runner.log.entries().first, !entry.made.isEmpty else { exit(1) }
    print(entry.id)
case "undo":
    do {
        _ = try await runner().undo(Int(arguments[4]) ?? 0)
        print("undone")
    } catch let error as AssistantError {
        print(error.code)
    }
default: exit(2)
}
