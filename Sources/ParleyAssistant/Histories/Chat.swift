// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A chat: a tree of messages, in which editing, regenerating and branching keep every earlier version.
///
/// The branch that is shown, from its first message to ``current``, is the ``path``. All edits are methods; none waits
/// or writes, and a ``ChatStore`` saves the value. Copies that were edited apart are put together with
/// ``merge(_:)``.
public struct Chat: Identifiable, Hashable, Sendable {
    /// The maximum number of messages, all versions included.
    public static let limit = 50_000

    /// The chat's identity, which names its file.
    public let id: UUID
    /// The title: that which the user gave, or else the beginning of the first message of the user.
    public internal(set) var title: String
    /// Whether the user gave the title.
    public internal(set) var hasOwnTitle: Bool
    /// When it was made.
    public let created: Date
    /// When it was last edited.
    public internal(set) var changed: Date
    /// Whether it is shown before the others.
    public internal(set) var isPinned: Bool
    /// The name of the model that the user has chosen for it; nil for the usual one.
    public internal(set) var model: String?
    /// All messages, each after its parent.
    public private(set) var nodes: [ChatNode]
    /// The last message of the branch that is shown, which may be deleted; nil if there is none.
    public internal(set) var current: UUID?
    /// How often the chat has been saved, by whichever process.
    public internal(set) var generation: Int
    /// How often this copy or one it comes from has been edited: of two values of one process, the higher is the later.
    var edits: Int

    /// Where each message is in ``nodes``.
    private var places: [UUID: Int]

    /// Creates an empty chat.
    public init(id: UUID = UUID(), created: Date = Date()) {
        let created = Self.rounded(created)
        self.init(id: id, title: "", hasOwnTitle: false, created: created, changed: created)
    }

    init(id: UUID, title: String, hasOwnTitle: Bool, created: Date, changed: Date) {
        (self.id, self.title, self.hasOwnTitle) = (id, title, hasOwnTitle)
        (self.created, self.changed) = (created, changed)
        (isPinned, nodes, current, generation, edits, places) = (false, [], nil, 0, 0, [:])
    }

    /// The message with an id; nil if there is none.
    public subscript(id: UUID) -> ChatNode? { places[id].map { nodes[$0] } }

    /// Whether there is nothing to keep: no message that is not deleted.
    public var isEmpty: Bool { nodes.allSatisfy(\.isDeleted) }

    // MARK: - The only ways to the tree

    /// Adds a message after all others; its parent must be among them.
    mutating func insert(_ node: ChatNode) {
        guard places[node.id] == nil else { return }
        places[node.id] = nodes.count
        nodes.append(node)
    }

    /// Changes a message in place, without counting it as an edit.
    mutating func withNode(_ id: UUID, _ change: (inout ChatNode) -> Void) {
        guard let place = places[id] else { return }
        change(&nodes[place])
    }

    /// Takes messages out of the tree for good; none may be the parent of one that stays.
    mutating func drop(_ ids: Set<UUID>) {
        guard !ids.isEmpty else { return }
        if let last = current, ids.contains(last) { current = self[last]?.parent }
        nodes.removeAll { ids.contains($0.id) }
        places = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1.id, $0) })
    }

    /// A date as it is saved: in whole milliseconds.
    static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
    }
}
