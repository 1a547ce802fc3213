// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// A summary of the oldest turns of a conversation, written by the model.
struct HistorySummary: Sendable {
    /// The messages that the summary replaces.
    var messages: [ChatMessage]
    /// The number of turns that the summary replaces.
    var turns: Int
    /// The text of the summary.
    var text: String

    /// The summary as a message for the model, marked as a summary. It has the user role because users wrote part of
    /// the content.
    var message: ChatMessage {
        .user("[A summary of the \(turns) oldest turns of this conversation, which are left out here:]\n\(text)")
    }
}

/// Stores the last summary of each conversation, so that it is not written again each turn.
///
/// If there are too many summaries, the least recently used one is dropped. It is written again if its conversation
/// continues.
final class SummaryStore: Sendable {
    private struct Entry {
        var owner: ConversationID
        var summary: HistorySummary
    }

    /// The summaries, starting with the least recently used. No other lock is taken while this one is held.
    private let entries = Mutex<[Entry]>([])
    private let limit: Int

    init(limit: Int = 32) {
        self.limit = limit
    }

    /// The number of stored summaries.
    var count: Int { entries.withLock { $0.count } }

    /// The summary of a conversation, if it still matches the beginning of these turns.
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
