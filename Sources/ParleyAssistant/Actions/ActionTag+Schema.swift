// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

extension ActionTag {
    /// The schema of the payload, for grammars and function calls.
    public var schema: JSONSchema {
        switch self {
        case .calendar: Self.calendarSchema
        case .note: Self.noteSchema
        case .habit: Self.habitSchema
        case .contacts: .object(["query": .string(description: "A name, or a part of one")])
        case .reminder:
            .object(
                [
                    "title": .string(description: "What to be reminded of"), "body": .string(), "at": Self.date,
                ], required: ["title", "at"])
        case .webSearch:
            .object(
                ["query": .string(), "maxResults": .integer(minimum: 1, maximum: 10)], required: ["query"])
        // Each tool has a schema of its own.
        case .tool: .object([:])
        }
    }

    /// A description of the purpose of the tag, for the model.
    public var summary: String {
        switch self {
        case .calendar: "Creates, changes, deletes, moves or lists events of the calendar, or finds free times."
        case .note: "Creates, searches, changes or deletes notes."
        case .habit: "Creates a habit, notes that it was kept, or tells how it goes."
        case .contacts: "Searches the contacts by name."
        case .reminder: "Reminds the user of something at a time to come."
        case .webSearch: "Searches the web."
        case .tool: "Calls a tool of another program."
        }
    }

    /// The function that replaces the tag for models that are trained for function calls.
    public var function: Function { Function(name: functionName, description: summary, parameters: schema) }

    private static let date = JSONSchema.string(
        description: "A date and time as the user said it, such as \"tomorrow at 3 pm\", or as ISO 8601 has it")

    private static func named(_ action: String) -> JSONSchema { .string(oneOf: [action]) }

    private static let calendarSchema: JSONSchema = {
        let minutes = JSONSchema.integer(description: "Minutes before the start", minimum: 0)
        let recurrence = JSONSchema.string(oneOf: Recurrence.Frequency.allCases.map(\.rawValue))
        let end = JSONSchema.string(description: "When it ends, or for how long it lasts, in the user's words")
        return .anyOf([
            .object(
                [
                    "action": named("create"), "title": .string(), "start": date, "end": end, "location": .string(),
                    "notes": .string(), "reminderMinutes": minutes, "isAllDay": .boolean(), "recurrence": recurrence,
                    "recurrenceEnd": date,
                ], required: ["action", "title", "start"]),
            .object(
                [
                    "action": named("update"), "search": .string(description: "Words of the event's title"),
                    "title": .string(), "start": date, "end": end, "location": .string(), "notes": .string(),
                    "reminderMinutes": minutes, "isAllDay": .boolean(), "recurrence": recurrence, "recurrenceEnd": date,
                ], required: ["action", "search"]),
            .object(["action": named("delete"), "search": .string(description: "Words of the event's title")]),
            .object(["action": named("delete"), "start": date, "end": date]),
            .object(["action": named("list"), "start": date, "end": date]),
            .object(
                [
                    "action": named("query"), "start": date, "end": date,
                    "durationMinutes": .integer(minimum: 1, maximum: 1440),
                ], required: ["action", "start", "end"]),
            .object([
                "action": named("reschedule"), "eventIdentifier": .string(), "start": date, "end": end,
            ]),
        ])
    }()

    private static let noteSchema: JSONSchema = {
        let tags = JSONSchema.array(of: .string())
        let search = JSONSchema.string(description: "Words of the note")
        return .anyOf([
            .object(
                ["action": named("create"), "title": .string(), "body": .string(), "tags": tags],
                required: ["action", "title"]),
            .object(["action": named("search"), "query": .string()]),
            .object(
                ["action": named("update"), "search": search, "title": .string(), "body": .string(), "tags": tags],
                required: ["action", "search"]),
            .object(
                ["action": named("update"), "id": .string(), "title": .string(), "body": .string(), "tags": tags],
                required: ["action", "id"]),
            .object(["action": named("delete"), "search": search]),
            .object(["action": named("delete"), "id": .string()]),
        ])
    }()

    private static let habitSchema: JSONSchema = .anyOf([
        .object(
            [
                "action": named("create"), "name": .string(),
                "unit": .string(oneOf: HabitAction.Unit.allCases.map(\.rawValue)),
                "frequency": .string(oneOf: HabitAction.Frequency.allCases.map(\.rawValue)), "emoji": .string(),
            ], required: ["action", "name"]),
        .object(
            ["action": named("log"), "habit": .string(), "value": .number(minimum: 0)], required: ["action", "habit"]),
        .object(["action": named("query"), "habit": .string()], required: ["action"]),
    ])
}
