// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyConversation

extension ChatViewModel {
    /// The message with an id; nil if it is not there, or not any more.
    public subscript(id: ChatItem.ID) -> ChatItem? { messages.last { $0.id == id } }

    // MARK: Saving

    /// Brings the tree up to date with a message that is shown, and saves the chat.
    func save(_ id: ChatItem.ID, isSearching: Bool = false) async {
        guard let item = self[id] else { return }
        chat.update(id) { item.write(to: &$0, isSearching: isSearching) }
        await keep()
    }

    func keep() async {
        guard let history = dependencies.history else { return }
        do {
            let kept = try await history.save(chat)
            guard kept.id == chat.id else { return }
            let isForeign = kept.nodes.contains { chat[$0.id] == nil }
            chat.merge(kept)
            guard isForeign else { return }
            refreshVersions()
            tell("Another program has written to this chat meanwhile. Its messages are versions beside those shown.")
        } catch {
            report("The chat was not saved. \(error)")
        }
    }

    /// Takes over what another program has written to the chat, and shows what goes on behind the last message.
    ///
    /// - Returns: whether something else is shown now; never while a turn is in progress, here or there.
    @discardableResult
    public func catchUp() async -> Bool {
        guard !isGenerating, let history = dependencies.history, let kept = try? await history.latest(chatID),
            !isGenerating, kept.id == chat.id, !kept.isUnfinished
        else { return false }
        let (shown, title, known) = (chat.path, chat.title, Set(chat.nodes.map(\.id)))
        chat.merge(kept)
        // What was known already and is not shown was left on purpose, for another branch.
        let isNew = { (node: ChatNode) in !known.contains(node.id) && !node.isDeleted }
        if let end = chat.current, chat.nodes.contains(where: { $0.parent == end && isNew($0) }) { chat.show(end) }
        guard chat.path != shown || chat.title != title else { return false }
        await showPath()
        return true
    }

    /// Puts the receipt of a reply into the tree; it is saved with the reply.
    func keep(_ receipt: ReplyReceipt, of turn: ChatTurn) {
        guard let id = turn.replyID else { return }
        chat.update(id) { $0.receipt = receipt }
        update(id) { $0.receipt = receipt }
    }

    /// Notes how far a growing reply has come.
    func journal(_ id: ChatItem.ID) {
        guard let history = dependencies.history, let item = self[id], var node = chat[id] else { return }
        item.write(to: &node)
        history.record(node, in: chatID)
    }

    // MARK: Chats

    /// Shows a chat that was kept, and brings its cards up to date with the log.
    ///
    /// - Returns: whether it is shown; not while a turn is in progress.
    @discardableResult
    public func open(_ kept: Chat) async -> Bool {
        guard !isGenerating else { return false }
        chat = kept
        await showPath()
        return true
    }

    /// Begins a new chat.
    ///
    /// - Returns: whether it was begun; not while a turn is in progress.
    @discardableResult
    public func startNewChat() async -> Bool {
        guard await open(Chat(created: dependencies.now)) else { return false }
        await refreshSuggestions()
        return true
    }

    /// Shows the branch of the tree that is current, and then brings its cards up to date with the log.
    ///
    /// It is shown before anything suspends: a message that is sent meanwhile goes below it.
    func showPath() async {
        messages = chat.path.map(ChatItem.init)
        refreshVersions()
        sessionTitle = chat.title
        (searchText, replyingTo) = ("", nil)
        // Another branch of the same chat has its beginning in common with this one.
        if conversation?.id.rawValue != chatID { conversation = nil }
        // A card may have been carried out elsewhere since the chat was kept.
        for card in await dependencies.actions.adopt(messages.flatMap(\.cards)) { show(card) }
    }

    /// Notes which versions the messages have; called when one has come or gone.
    func refreshVersions() {
        let versions = chat.pathVersions
        for index in messages.indices {
            let ids = versions[messages[index].id] ?? []
            let others = ids.count > 1 ? ids : []
            if messages[index].versions != others { messages[index].versions = others }
        }
    }

    /// Goes back to a message, so that the next one begins another branch; what followed it stays in the tree.
    ///
    /// - Returns: whether it was done; not while a turn is in progress, or without such a message.
    @discardableResult
    public func branch(after id: ChatItem.ID) async -> Bool {
        guard !isGenerating, chat[id] != nil else { return false }
        chat.branch(after: id)
        await showPath()
        await keep()
        return true
    }

    /// Writes a message of the user anew, and asks for a reply to it; the earlier version stays in the tree.
    ///
    /// - Returns: whether it was sent; not while a turn is in progress, or without such a message.
    @discardableResult
    public func edit(_ id: ChatItem.ID, to text: String) -> Bool {
        guard isModelLoaded, !isGenerating, let index = messages.firstIndex(where: { $0.id == id }),
            messages[index].author == .user, text.contains(where: { !$0.isWhitespace })
        else { return false }
        let old = messages[index]
        messages.removeSubrange(index...)
        begin(
            ChatTurn.Draft(
                text: text.trimmingWhitespace, attachments: old.attachments, replyingTo: old.replyingTo, replaces: id))
        return true
    }

    /// Shows another version of a message, with what was last written after it.
    ///
    /// - Parameter id: the version, which is one of ``ChatItem/versions``.
    /// - Returns: whether it is shown; not while a turn is in progress, or if it is not there.
    @discardableResult
    public func show(version id: ChatItem.ID) async -> Bool {
        guard !isGenerating, chat[id]?.isDeleted == false else { return false }
        chat.show(id)
        await showPath()
        await keep()
        return true
    }

    /// Gives the chat a title; an empty one takes it back.
    public func rename(_ title: String) async {
        chat.rename(title)
        sessionTitle = chat.title
        await keep()
    }

    /// Shows the chat before the others, or no longer.
    public func pin(_ isPinned: Bool) async {
        chat.pin(isPinned)
        await keep()
    }

    /// Asks for another reply; the earlier one stays in the tree.
    ///
    /// - Parameters:
    ///   - id: the reply, or the last message if that is the user's: one whose reply was deleted.
    ///   - model: the name of a model that the provider knows, for this reply alone; nil for that of the chat.
    /// - Returns: whether it was asked for; not while a turn is in progress, or without such a reply.
    @discardableResult
    public func regenerate(_ id: ChatItem.ID, with model: String? = nil) -> Bool {
        guard isModelLoaded, !isGenerating, let index = messages.firstIndex(where: { $0.id == id }) else {
            return false
        }
        let isQuestion = messages[index].author == .user
        guard isQuestion ? index == messages.count - 1 : index > 0 else { return false }
        let question = messages[isQuestion ? index : index - 1]
        if !isQuestion { messages.removeSubrange(index...) }
        begin(ChatTurn.Draft(text: question.text, attachments: question.attachments, regenerates: id, model: model))
        return true
    }

    /// Deletes a message; a reply that is being generated is stopped. ``restore(_:)`` undoes it.
    public func delete(_ id: ChatItem.ID) async {
        guard self[id] != nil else { return }
        messages.removeAll { $0.id == id }
        if turn?.replyID == id { stop() }
        chat.delete(id)
        // Where the last message was deleted, the last of its other versions is shown.
        if chat.path.map(\.id) != messages.map(\.id) { await showPath() }
        refreshVersions()
        await keep()
    }

    /// Brings a deleted message back.
    public func restore(_ id: ChatItem.ID) async {
        guard !isGenerating else { return }
        chat.restore(id)
        await showPath()
        await keep()
    }

    /// Forgets deleted messages for good.
    ///
    /// - Parameter ids: the messages; nil for all that were deleted from the chat.
    public func forgetDeleted(_ ids: [ChatItem.ID]? = nil) async {
        chat.forget(ids ?? chat.nodes.filter(\.canBeRestored).map(\.id))
        await keep()
    }

    /// Removes a reply in which nothing came.
    func drop(_ id: ChatItem.ID) async { await delete(id) }
}
