// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ChatStore {
    /// The maximum number of messages that are found in one chat.
    private static let mostInChat = 3

    /// Searches all chats, in all versions of their messages: first the titles, then the messages of the chats in the
    /// order of the list. Every word must occur, in any case and with or without accents.
    ///
    /// - Parameters:
    ///   - query: the words; only the first 200 characters count.
    ///   - limit: the maximum number of results; the search ends with that many.
    /// - Returns: what was found; nothing for a query without words.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`; `CancellationError` if the task is cancelled.
    public nonisolated func search(_ query: String, limit: Int = 50) async throws -> [ChatSearchHit] {
        guard let query = SearchText(query) else { return [] }
        let summaries = try await summaries()
        var hits = summaries.filter { query.isFound(in: $0.title) }.prefix(max(limit, 0)).map {
            ChatSearchHit(chat: $0.id, title: $0.title, message: nil, date: $0.changed, snippet: $0.title)
        }
        for summary in summaries where hits.count < limit {
            try Task.checkCancellation()
            // One chat after another, so that what is recorded meanwhile is written in between.
            hits += await self.hits(query, in: summary.id, limit: min(Self.mostInChat, limit - hits.count))
        }
        return hits
    }

    /// What is found in a chat; nothing if it has gone meanwhile or cannot be read, which the list of chats has told.
    private func hits(_ query: SearchText, in id: UUID, limit: Int) -> [ChatSearchHit] {
        // Most chats have no hit, and reading a file as a chat takes a hundred times longer than searching its bytes.
        guard let data = try? folder.contents(folder.file(id)), query.mayOccur(in: data),
            let chat = try? folder.chat(in: data, of: folder.file(id))
        else { return [] }
        return chat.hits(query, limit: limit)
    }
}
