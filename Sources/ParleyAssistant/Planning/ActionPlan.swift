// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an action would do, or what it found: everything that a card shows before anything is written.
public struct ActionPlan: Hashable, Sendable, Codable {
    /// What a reading action found.
    public enum Results: Hashable, Sendable, Codable {
        /// Events, in the order of their starts.
        case events([StoredEvent])
        /// Free times.
        case freeTimes([DateInterval])
        /// At most five notes, best first.
        case notes([StoredNote])
        /// At most five contacts, best first.
        case contacts([StoredContact])
        /// Habits with their last seven days.
        case habits([HabitReport])
        /// Results of the web, best first; all of their text is untrusted.
        case web([WebResult])
        /// What a tool of another program answered; untrusted.
        case text(String)
    }

    /// The changes that the action would make; empty if it only reads.
    public var changes: [Change<StoreItem>] = []
    /// Whether the change moves an event to another time.
    public var movesTime = false
    /// What the changes concern, as it is now, in the order of the changes; empty if something is created.
    public var items: [PlannedItem] = []
    /// What is created, or what the changed item will be.
    public var outcome: PlannedItem?
    /// When an event was before it gave way to others; nil if it did not.
    var timeBefore: EventTime?
    /// Other items that the words of the action fit, nearest first; the first fit is planned for.
    public var alternatives: [PlannedItem] = []
    /// Which dates of a recurring event are concerned; nil for a single event.
    public var scope: EventScope?
    /// Other events at the same time.
    public var conflicts: [StoredEvent] = []
    /// Free times to which the event could be moved instead.
    public var freeSlots: [DateInterval] = []
    /// What a reading action found; nil if it was not carried out, or is none.
    public var results: Results?
    /// What the user should know about the plan, in English.
    public var notices: [String] = []

    /// What is said of an item that only shares a word with what was searched for.
    static let guess = "Only some of the words fit; please look whether this is what is meant."
    /// Whether the item may be another than what is meant, so that nothing is written unasked.
    var isGuess: Bool { notices.contains(Self.guess) }

    /// Creates an empty plan.
    public init() {}
}

/// An item with which an action is concerned, as a card shows it.
public struct PlannedItem: Hashable, Sendable, Codable, Identifiable {
    /// Which item it is, and which date of it; empty for one that is not there yet.
    public var id: String
    /// The title.
    public var title: String
    /// When it takes place or is due.
    public var time: EventTime?
    /// Where it takes place.
    public var location: String?
    /// The text of a note, or more about a reminder.
    public var text: String?
    /// How it recurs, in English; nil if it does not.
    public var recurrence: String?

    /// Creates the description of an item.
    public init(
        id: String = "", title: String, time: EventTime? = nil, location: String? = nil, text: String? = nil,
        recurrence: String? = nil
    ) {
        (self.id, self.title, self.time) = (id, title, time)
        (self.location, self.text, self.recurrence) = (location, text, recurrence)
    }
}

/// What the user chose on a card where the words of the action leave a choice.
public struct ActionChoices: Hashable, Sendable, Codable {
    /// The ``PlannedItem/id`` of the item that is meant; nil for the nearest.
    public var target: String?
    /// Which dates of a recurring event are meant; nil for the one that was found.
    public var scope: EventScope?
    /// The free time to which a new or changed event is moved.
    public var slot: DateInterval?

    /// Creates choices of which none has been made.
    public init() {}
}
