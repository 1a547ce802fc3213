// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation

extension Chat {
    /// Puts together two copies of this chat that were edited apart, such as by two processes: no message of either is
    /// lost. Of a message that both have, the newer revision is taken.
    ///
    /// The branch that is shown stays that of this copy. Both ways of merging give the same messages, and merging
    /// twice gives nothing new.
    public mutating func merge(_ other: Chat) {
        guard other.id == id else { return }
        for node in other.nodes {
            if let own = self[node.id] {
                if Self.isNewer(node, than: own) { withNode(node.id) { $0 = node } }
            } else {
                insert(node)
            }
        }
        func order(_ chat: Chat) -> (Date, String, Int, Int, String) {
            (chat.changed, chat.title, chat.isPinned ? 1 : 0, chat.hasOwnTitle ? 1 : 0, chat.model ?? "")
        }
        if order(other) > order(self) {
            (title, hasOwnTitle, isPinned) = (other.title, other.hasOwnTitle, other.isPinned)
            (model, changed) = (other.model, other.changed)
        }
        if current.flatMap({ self[$0] }) == nil { current = other.current }
        (generation, edits) = (max(generation, other.generation), max(edits, other.edits))
    }

    /// Whether a copy of a message replaces another one.
    private static func isNewer(_ node: ChatNode, than own: ChatNode) -> Bool {
        // Copies of one revision differ only if both were edited; any rule serves that does not depend on the order.
        func rank(_ node: ChatNode) -> (Int, Int, Int, String, Date) {
            let size = node.message.text.utf8.count &+ (node.message.reasoningContent ?? "").utf8.count
            let kind = node.isDeleted ? 2 : node.state.isUnfinished ? 0 : 1
            return (node.revision, kind, size, node.message.text, node.deletionDate ?? .distantPast)
        }
        return rank(node) > rank(own)
    }
}
