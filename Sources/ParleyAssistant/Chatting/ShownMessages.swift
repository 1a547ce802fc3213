// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar

/// The messages of a chat as pages show them. A message is made anew only if it has changed, so that a piece of a reply
/// costs the same in a long chat as in a short one.
struct ShownMessages {
    /// How many messages have been made.
    private(set) var made = 0

    private var items: [ChatItem] = []
    private var messages: [ChatViewState.Message] = []
    /// The day and the time zone, which decide how cards tell times.
    private var place: (day: CivilDate, zone: String)?

    private var query = ""
    /// Whether each message contains the words of the query, with its text.
    private var found: [ChatItem.ID: (text: String, isFound: Bool)] = [:]

    /// The messages as they are shown now.
    mutating func messages(_ current: [ChatItem], in context: DateContext) -> [ChatViewState.Message] {
        let place = (day: context.today, zone: context.clock.timeZone.identifier)
        if self.place.map({ $0 != place }) ?? true { (items, messages) = ([], []) }
        self.place = place
        if current.count < items.count {
            items.removeSubrange(current.count...)
            messages.removeSubrange(current.count...)
        }
        for (index, item) in current.enumerated() {
            if index == items.count {
                items.append(item)
                messages.append(make(item, context))
            } else if items[index] != item {
                items[index] = item
                messages[index] = make(item, context)
            }
        }
        return messages
    }

    private mutating func make(_ item: ChatItem, _ context: DateContext) -> ChatViewState.Message {
        made += 1
        return ChatViewState.Message(item, context)
    }

    /// The messages whose text contains every word of a query, in any case and with or without accents.
    mutating func results(_ current: [ChatItem], _ query: String) -> [ChatItem] {
        guard let search = SearchText(query) else { return [] }
        if query != self.query { (self.query, found) = (query, [:]) }
        return current.filter { item in
            if let known = found[item.id], known.text == item.text { return known.isFound }
            let isFound = search.isFound(in: item.text)
            found[item.id] = (item.text, isFound)
            return isFound
        }
    }
}
