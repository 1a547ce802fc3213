// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// What a model made of the oldest turns of a conversation.
struct HistorySummary: Sendable {
    /// The messages that it stands for, as they were.
    var messages: [ChatMessage]
    /// How many turns those are.
    var turns: Int
    /// What the model wrote.
    var text: String

    /// The summary as the model is shown it: as what it is, and in the user's name, for users wrote of what it tells.
    var message: ChatMessage {
        .user("[A summary of the \(turns) oldest turns of this conversation, which are left out here:]\n\(text)")
    }
}

/// The last summary of each conversation, so that it is not made anew each turn. So many are kept; beyond that the one
/// that was used least recently goes, and is made anew where its conversation goes on.
final class SummaryStore: Sendable {
    private struct Entry {
        var owner: ConversationID
        var summary: HistorySummary
    }

    /// The least recently used first. A leaf lock.
    private let entries = Mutex<[Entry]>([])
    private let limit: Int

    init(limit: Int = 32) {
        self.limit = limit
    }

    /// How many summaries are kept.
    var count: Int { entries.withLock { $0.count } }

    /// The summary of a conversation where it stands for the beginning of these turns, as they are now.
    func summary(of id: ConversationID, for turns: [[ChatMessage]]) -> HistorySummary? {
        let known = entries.withLock { entries -> HistorySummary? in
            guard let index = entries.firstIndex(where: { $0.owner == id }) else { return nil }
            entries.append(entries.remove(at: index))
            return entries.last?.summary
        }
        guard let known, known.turns < turns.count, known.messages == Array(turns[..<known.turns].joined()) else {
            return nil
        }
        return known
    }

    func keep(_ summary: HistorySummary, of id: ConversationID) {
        entries.withLock { entries in
            entries.removeAll { $0.owner == id }
            entries.append(Entry(owner: id, summary: summary))
            entries.removeFirst(max(entries.count - limit, 0))
        }
    }

    func remove(_ id: ConversationID) {
        entries.withLock { $0.removeAll { $0.owner == id } }
    }
}
