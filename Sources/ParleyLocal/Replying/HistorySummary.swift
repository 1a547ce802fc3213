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

/// The last summary of each conversation, so that it is not made anew each turn.
final class SummaryStore: Sendable {
    /// A leaf lock.
    private let summaries = Mutex<[ConversationID: HistorySummary]>([:])

    /// The summary of a conversation where it stands for the beginning of these turns, as they are now.
    func summary(of id: ConversationID, for turns: [[ChatMessage]]) -> HistorySummary? {
        guard let known = summaries.withLock({ $0[id] }), known.turns < turns.count,
            known.messages == Array(turns[..<known.turns].joined())
        else { return nil }
        return known
    }

    func keep(_ summary: HistorySummary, of id: ConversationID) {
        summaries.withLock { $0[id] = summary }
    }

    func remove(_ id: ConversationID) {
        summaries.withLock { $0[id] = nil }
    }
}
