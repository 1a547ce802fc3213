// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation

extension Chat {
    /// The messages of the branch that is shown, in order, without deleted ones.
    public var path: [ChatNode] { current.map(path) ?? [] }

    /// The messages from the first of its branch to one of them, without deleted ones.
    public func path(to id: UUID) -> [ChatNode] {
        var nodes: [ChatNode] = []
        var next = self[id]
        // Every parent comes before its child, so this ends.
        while let node = next {
            if !node.isDeleted { nodes.append(node) }
            next = node.parent.flatMap { self[$0] }
        }
        return nodes.reversed()
    }

    /// What the model is given of the branch that is shown: the last messages, without errors, notices, unfinished and
    /// empty replies.
    ///
    /// - Parameter limit: the maximum number of messages.
    /// - Returns: the messages in order.
    public func history(limit: Int = .max) -> [ChatMessage] {
        path.filter(\.isHistory).suffix(max(limit, 0)).map(\.message)
    }

    /// The ids of all versions of a message, itself included, in the order in which they were written.
    public func versions(of id: UUID) -> [UUID] {
        guard let node = self[id] else { return [] }
        return nodes.filter {
            $0.parent == node.parent && !$0.isDeleted && $0.message.role == node.message.role
        }.map(\.id)
    }

    /// The versions of each message of the branch that is shown, as ``versions(of:)`` has them; in one pass.
    var pathVersions: [UUID: [UUID]] {
        struct Place: Hashable {
            var parent: UUID?
            var role: ChatMessageRole
        }
        var groups: [Place: [UUID]] = [:]
        for node in nodes where !node.isDeleted {
            groups[Place(parent: node.parent, role: node.message.role), default: []].append(node.id)
        }
        return Dictionary(
            uniqueKeysWithValues: path.map { ($0.id, groups[Place(parent: $0.parent, role: $0.message.role)] ?? []) })
    }

    /// Whether more of a reply is expected.
    public var isUnfinished: Bool { nodes.contains { $0.state.isUnfinished && !$0.isDeleted } }
}
