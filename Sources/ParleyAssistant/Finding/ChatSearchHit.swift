// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyConversation

/// Something that a search over all chats has found.
public struct ChatSearchHit: Hashable, Sendable {
    /// The chat.
    public var chat: UUID
    /// Its title.
    public var title: String
    /// The message; nil if the title was found.
    public var message: UUID?
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
            guard query.isFound(in: text) else { continue }
            hits.append(ChatSearchHit(chat: id, title: title, message: node.id, snippet: query.snippet(of: text)))
        }
        return hits
    }
}
