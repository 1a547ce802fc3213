// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyConversation
import ParleyJSON

/// Something that a search over all chats has found.
public struct ChatSearchHit: Hashable, Sendable {
    /// The chat.
    public var chat: UUID
    /// Its title.
    public var title: String
    /// The message; nil if the title was found.
    public var message: UUID?
    /// When the message was written; for a title, when the chat was changed last.
    public var date: Date
    /// The surroundings of what was found, in one line; the title if that was found.
    public var snippet: String
}

extension Chat {
    /// What a search finds in the messages of this chat, the newest first.
    func hits(_ query: SearchText, limit: Int) -> [ChatSearchHit] {
        var hits: [ChatSearchHit] = []
        for node in nodes.reversed() where !node.isDeleted {
            guard hits.count < limit else { break }
            // What is found is what the chat shows.
            let written = node.message.text
            let text = node.message.role == .assistant ? ActionBlockScanner.text(of: written) : written
            guard let found = query.isFound(in: text) ? text : node.cardText(with: query) else { continue }
            hits.append(
                ChatSearchHit(
                    chat: id, title: title, message: node.id, date: node.message.date, snippet: query.snippet(of: found)
                ))
        }
        return hits
    }
}

extension ChatNode {
    /// The words of the first card in which a query is found: what its items say.
    fileprivate func cardText(with query: SearchText) -> String? {
        cards.lazy.compactMap { card -> String? in
            guard let plan = card["plan"] else { return nil }
            // What is created has no item yet, and what is changed has both.
            let items = (plan["items"]?.array ?? []) + [plan["outcome"]].compactMap(\.self)
            var texts: [String] = []
            for text in items.flatMap({ [$0["title"], $0["location"], $0["text"]] }).compactMap({ $0?.string })
            where !texts.contains(text) { texts.append(text) }
            return texts.joined(separator: " · ")
        }.first { query.isFound(in: $0) }
    }
}
