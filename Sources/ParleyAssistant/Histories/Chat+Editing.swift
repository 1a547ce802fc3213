// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
import ParleySystem

extension Chat {
    // MARK: - Writing

    /// Adds a message at the end of the branch that is shown.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - state: how far it has come; a reply that is to come is `waiting`.
    /// - Returns: the id of the message.
    @discardableResult
    public mutating func append(_ message: ChatMessage, state: ChatNode.State = .complete) -> UUID {
        add(message, below: current, state)
    }

    /// Changes a message in place: the growing reply, its state, its cards. Nothing happens if it is not there.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - change: what is done to it; the message's id stays.
    public mutating func update(_ id: UUID, _ change: (inout ChatNode) -> Void) {
        withNode(id) { node in
            var changed = node
            change(&changed)
            guard changed.id == node.id else { return }
            changed.revision = node.revision &+ 1
            node = changed
        }
        touch()
    }

    /// Writes a message anew: a new version beside it is added and shown, with nothing after it.
    ///
    /// - Returns: the id of the new version; nil if there is no such message.
    @discardableResult
    public mutating func edit(_ id: UUID, to message: ChatMessage) -> UUID? {
        guard let node = self[id] else { return nil }
        return add(message, below: node.parent, .complete)
    }

    /// Asks for a reply again: an empty version beside it is added and shown.
    ///
    /// - Returns: the id of the new version; nil if there is no such reply.
    @discardableResult
    public mutating func regenerate(_ id: UUID) -> UUID? {
        guard let node = self[id], node.message.role == .assistant else { return nil }
        return add(ChatMessage(role: .assistant, content: []), below: node.parent, .waiting)
    }

    /// Asks for a reply to a message of the user, such as one whose reply was deleted: an empty one below it is added and
    /// shown, as another version of those that were deleted.
    ///
    /// - Returns: the id of the reply; nil if there is no such message.
    mutating func answer(_ id: UUID) -> UUID? {
        guard let node = self[id], node.message.role == .user else { return nil }
        return add(ChatMessage(role: .assistant, content: []), below: id, .waiting)
    }

    private mutating func add(_ message: ChatMessage, below parent: UUID?, _ state: ChatNode.State) -> UUID {
        // An id can be in a tree once; a message that was taken from this chat is added as another one.
        var message = message
        if self[message.id] != nil { message = message.withNewID }
        message.date = Self.rounded(message.date)
        insert(ChatNode(message, parent: parent.flatMap { self[$0]?.id }, state: state))
        current = message.id
        if !hasOwnTitle, title.isEmpty { title = Self.title(of: message) }
        touch()
        return message.id
    }

    // MARK: - Branches

    /// Continues after a message: what followed it stays, and the next message begins another branch.
    public mutating func branch(after id: UUID) {
        guard self[id] != nil else { return }
        current = id
        touch()
    }

    /// Shows another version of a message, with what was last written after it.
    public mutating func show(_ id: UUID) {
        guard self[id] != nil else { return }
        // Parents come before their children, so one pass finds everything below.
        var below: Set<UUID> = [id]
        var last = id
        for node in nodes {
            guard let parent = node.parent, below.contains(parent), !node.isDeleted else { continue }
            below.insert(node.id)
            last = node.id
        }
        current = last
        touch()
    }

    /// A new chat of the messages up to one of them.
    public func copy(upTo id: UUID, created: Date = Date()) -> Chat {
        var copy = Chat(created: created)
        for node in path(to: id) {
            let new = copy.append(node.message.withNewID, state: node.state)
            copy.withNode(new) { (copied: inout ChatNode) in
                (copied.notice, copied.cards) = (node.notice, node.cards)
                (copied.hasRunActions, copied.receipt) = (node.hasRunActions, node.receipt)
                copied.earlierReceipts = node.earlierReceipts
            }
        }
        return copy
    }

    // MARK: - Deleting

    /// Deletes a message; what follows it stays. ``restore(_:)`` undoes it.
    ///
    /// If there are other versions of it and it ends the branch, the last of them is shown.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - date: when.
    public mutating func delete(_ id: UUID, at date: Date = Date()) {
        guard self[id]?.isDeleted == false else { return }
        let others = versions(of: id).filter { $0 != id }
        update(id) { ($0.isDeleted, $0.deletionDate) = (true, Self.rounded(date)) }
        if current == id, let other = others.last { show(other) }
    }

    /// Undoes the deletion of a message; nothing happens if its content has been forgotten.
    public mutating func restore(_ id: UUID) {
        guard self[id]?.canBeRestored == true else { return }
        update(id) { ($0.isDeleted, $0.deletionDate) = (false, nil) }
    }

    /// Forgets the content of deleted messages for good. Their ids stay, so that no other process brings them back.
    ///
    /// - Parameter ids: the messages; those that are not deleted stay as they are.
    public mutating func forget(_ ids: some Sequence<UUID>) {
        for id in ids where self[id]?.canBeRestored == true { update(id) { $0.forget() } }
        forgetTitle()
    }

    /// Forgets the content of messages that were deleted long ago. It counts as no edit: the chat keeps its date.
    ///
    /// - Parameter date: what was deleted before it is forgotten.
    /// - Returns: whether there was something to forget.
    @discardableResult
    public mutating func forgetDeleted(before date: Date) -> Bool {
        let old = nodes.filter { $0.canBeRestored && deletion(of: $0) < date }
        for node in old {
            withNode(node.id) { node in
                node.forget()
                node.revision = node.revision &+ 1
            }
        }
        forgetTitle()
        return !old.isEmpty
    }

    /// Takes another title where the chat has that of a message which is forgotten.
    mutating func forgetTitle() {
        guard !hasOwnTitle, nodes.contains(where: \.isForgotten) else { return }
        let titles = nodes.lazy.map { Self.title(of: $0.message) }
        if !titles.contains(title) { title = titles.first { !$0.isEmpty } ?? "" }
    }

    /// When the first of the deleted messages was deleted that can be brought back; nil without one.
    var firstDeletion: Date? { nodes.lazy.filter(\.canBeRestored).map(deletion).min() }

    /// When a message was deleted, as far as it is known: it was before the chat was edited last.
    private func deletion(of node: ChatNode) -> Date { node.deletionDate ?? changed }

    // MARK: - The whole chat

    /// Gives the chat a title; an empty one takes it back.
    public mutating func rename(_ title: String) {
        let line = Self.line(title)
        hasOwnTitle = !line.isEmpty
        self.title = line.isEmpty ? nodes.lazy.map(\.message).map(Self.title).first { !$0.isEmpty } ?? "" : line
        touch()
    }

    /// Shows the chat before the others, or no longer.
    public mutating func pin(_ isPinned: Bool) {
        self.isPinned = isPinned
        touch()
    }

    /// Chooses the model that replies in the chat; nil for the usual one.
    public mutating func choose(model: String?) {
        self.model = model
        touch()
    }

    private mutating func touch() {
        edits += 1
        // Always later than before, even if the clock was set back: merging takes the title of the later copy.
        changed = max(Self.rounded(changed.addingTimeInterval(0.001)), Self.rounded(Date()))
    }

    /// The largest number of characters of a title.
    static let longestTitle = 40

    /// The first words of a message of the user, in one line of at most ``longestTitle`` characters; empty for other
    /// messages.
    static func title(of message: ChatMessage) -> String {
        message.role == .user ? line(message.text) : ""
    }

    private static func line(_ text: String) -> String {
        // Only the beginning is looked at: a message may be long.
        let words = PlainText.line(text, upTo: 10 * longestTitle)
        guard words.count > longestTitle else { return words }
        // Cut between words, unless that leaves too little.
        let start = words.prefix(longestTitle - 1)
        let whole = start.lastIndex(of: " ").map { start[..<$0] } ?? start
        return (whole.count > 20 ? whole : start) + "…"
    }
}

extension ChatMessage {
    /// The message as another one with the same content.
    fileprivate var withNewID: ChatMessage {
        ChatMessage(
            role: role, content: content, reasoningContent: reasoningContent, functionCalls: functionCalls,
            functionCallID: functionCallID, name: name, rawOutput: rawOutput, date: date)
    }
}
