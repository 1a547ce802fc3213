// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation

extension Chat {
    /// Ends what a process has left unfinished when it ended.
    ///
    /// A part of a reply is `interrupted`; an interrupted search becomes a notice; action blocks that were never taken
    /// up are taken out of the text, so that nothing runs later that the user no longer expects; empty replies go.
    ///
    /// - Returns: whether anything was changed.
    @discardableResult
    public mutating func repair() -> Bool {
        let before = edits
        var empty: Set<UUID> = []
        for node in nodes where node.message.role == .assistant && !node.isDeleted {
            if node.state.isUnfinished {
                update(node.id) { node in
                    if node.state == .searching { node.notice = "The web search was interrupted." }
                    node.state = .interrupted
                }
            }
            if !node.hasRunActions, let text = Self.withoutBlocks(node.message.text) {
                update(node.id) { node in
                    let others = node.message.content.filter { if case .text = $0 { false } else { true } }
                    node.message.content = (text.isEmpty ? [] : [.text(text)]) + others
                    node.message.rawOutput = nil
                }
            }
            if let node = self[node.id], node.message.isEmpty, node.notice == nil, node.cards.isEmpty {
                empty.insert(node.id)
            }
        }
        let parents = Set(nodes.compactMap(\.parent))
        for id in empty {
            // What follows an empty reply needs it in the tree.
            if parents.contains(id) { update(id) { $0.isDeleted = true } }
        }
        empty.subtract(parents)
        drop(empty)
        return edits != before || !empty.isEmpty
    }

    /// A text without its action blocks; nil if it has none.
    private static func withoutBlocks(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "[")) else { return nil }
        let parts = ActionBlockScanner.parts(of: text)
        guard parts.contains(where: { if case .block = $0 { true } else { false } }) else { return nil }
        var rest = ActionBlockScanner.text(of: text)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
