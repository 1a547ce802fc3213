// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that a model asks for: read from a block in its reply or from a function call alike.
public enum Action: Hashable, Sendable {
    /// About events.
    case calendar(CalendarAction)
    /// About notes.
    case note(NoteAction)
    /// A search of the contacts, of which at most five are shown.
    case contacts(query: String)
    /// About habits.
    case habit(HabitAction)
    /// A reminder, not in the past.
    case reminder(title: String, body: String?, at: SpokenDate)
    /// A search of the web.
    case webSearch(query: String, maxResults: Int)

    /// The most contacts that a search shows.
    public static let maxContacts = 5

    /// Its tag.
    public var tag: ActionTag {
        switch self {
        case .calendar: .calendar
        case .note: .note
        case .contacts: .contacts
        case .habit: .habit
        case .reminder: .reminder
        case .webSearch: .webSearch
        }
    }
}

/// A date in an action, in the words of the user or the model, with what they mean.
public struct SpokenDate: Hashable, Sendable {
    /// The words.
    public var words: String
    /// What they mean, what was assumed, and what else they may mean; for a card to show.
    public var resolution: DateResolution
    /// The instant that is taken.
    public var instant: Date
}

/// When an event is.
public enum EventTime: Hashable, Sendable {
    /// From one point to another, later one.
    case timed(DateInterval)
    /// Whole days, the last included.
    case allDay(ClosedRange<LocalDay>)
}

/// What is wrong with one field of an action, for the card on which the user can mend it.
public struct ActionProblem: Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Kind: Hashable, Sendable {
        /// The field is needed and not there.
        case missing
        /// It has another type than the field's.
        case type
        /// Its value is none that the field may have.
        case value
        /// The words name no date, or none that exists.
        case date
        /// The time is over.
        case past
    }

    /// The field's name; empty for the action as a whole.
    public var field: String
    /// What kind of fault it is.
    public var kind: Kind
    /// What is wrong and what is expected, in plain English.
    public var description: String

    /// A problem of a field.
    public init(_ field: String, _ kind: Kind, _ description: String) {
        (self.field, self.kind, self.description) = (field, kind, description)
    }
}

/// Why a payload is no action: at least one problem, each with its field.
public struct ActionError: Error, Hashable, Sendable {
    /// The problems, in the order of the fields.
    public var problems: [ActionProblem]
}
