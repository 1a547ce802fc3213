// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyCalendar
public import ParleyJSON

/// An action that a model requests, in a block of its reply or in a function call.
public enum Action: Hashable, Sendable {
    /// An action on calendar events.
    case calendar(CalendarAction)
    /// An action on notes.
    case note(NoteAction)
    /// A search in the contacts, of which at most five are shown.
    case contacts(query: String)
    /// An action on habits.
    case habit(HabitAction)
    /// Creates a reminder at a time in the future.
    case reminder(title: String, body: String?, at: SpokenDate)
    /// A search on the web.
    case webSearch(query: String, maxResults: Int)
    /// A call of a tool of another program.
    case tool(ToolName, arguments: JSONObject)

    /// The maximum number of contacts that a search shows.
    public static let maxContacts = 5
    /// The maximum number of characters that are searched for on the web.
    public static let maxQuery = 400

    /// The tag of the action.
    public var tag: ActionTag {
        switch self {
        case .calendar: .calendar
        case .note: .note
        case .contacts: .contacts
        case .habit: .habit
        case .reminder: .reminder
        case .webSearch: .webSearch
        case .tool: .tool
        }
    }
}

/// A date in an action: the words of the user or the model, and their meaning.
public struct SpokenDate: Hashable, Sendable {
    /// The words.
    public var words: String
    /// The meaning of the words, with assumptions and alternatives for a card to show.
    public var resolution: DateResolution
    /// The instant that is used.
    public var instant: Date
}

/// The time of an event.
public enum EventTime: Hashable, Sendable {
    /// From one instant to a later one.
    case timed(DateInterval)
    /// Whole days, including the last one.
    case allDay(ClosedRange<CivilDate>)
}

/// A problem with a field of an action, for the card on which the user can correct it.
public struct ActionProblem: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of problem.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A required field is missing.
        case missing
        /// The value has the wrong type.
        case type
        /// The value is not one that the field allows.
        case value
        /// The words are not a date, or are a date that does not exist.
        case date
        /// The time is in the past.
        case past
    }

    /// The name of the field; empty if the problem concerns the whole action.
    public var field: String
    /// The kind of problem.
    public var kind: Kind
    /// What is wrong and what is expected, in English.
    public var description: String

    /// Creates the description of a problem with a field.
    public init(_ field: String, _ kind: Kind, _ description: String) {
        (self.field, self.kind, self.description) = (field, kind, description)
    }
}

/// The error of a payload that is not a valid action: at least one problem, each with its field.
public struct ActionError: Error, Hashable, Sendable {
    /// The problems, in the order of the fields.
    public var problems: [ActionProblem]
}
