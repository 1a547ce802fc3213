// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// A model's summary of the oldest turns of a conversation.
struct HistorySummary: Sendable {
    /// The messages that it replaces.
    var messages: [ChatMessage]
    /// How many turns it replaces.
    var turns: Int
    /// The summary's text.
    var text: String

    /// The summary as a message for the model: marked as a summary, and the user's, as it tells what users wrote.
    var message: ChatMessage {
        .user("[A summary of the \(turns) oldest turns of this conversation, which are left out here:]\n\(text)")
    }
}

/// The last summary of each conversation, so that it is not made again each turn. Beyond a number of summaries the
/// least recently used one is dropped, and made again where its conversation goes on.
final class SummaryStore: Sendable {
    private struct Entry {
        var owner: ConversationID
        var summary: HistorySummary
    }

    /// The least recently used first. No other lock is taken inside this one.
    private let entries = Mutex<[Entry]>([])
    private let limit: Int

    init(limit: Int = 32) {
        self.limit = limit
    }

    /// How many summaries are kept.
    var count: Int { entries.withLock { $0.count } }

    /// The summary of a conversation if it still matches the beginning of these turns.
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
