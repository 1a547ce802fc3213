// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ChatViewModel {
    // MARK: Replies that were cut off

    /// Goes on with the last reply, which was cut off: the model continues its text, or begins anew if there is none.
    ///
    /// - Parameter id: the reply.
    /// - Returns: whether the model goes on; not while a turn is in progress, with another message than the last, with one
    ///   that cannot be continued (``ChatItem/canBeContinued``), or with a model that cannot.
    @discardableResult
    public func continueReply(_ id: ChatItem.ID) -> Bool {
        guard isModelLoaded, !isGenerating, let item = messages.last, item.id == id, item.canBeContinued else {
            return false
        }
        guard item.written.isEmpty || model?.runner.abilities.contains(.continuing) == true else {
            tell("This model cannot go on with a reply. Ask for another one.")
            return false
        }
        let question = messages.last { $0.author == .user }
        begin(ChatTurn.Draft(text: question?.text ?? "", attachments: question?.attachments ?? [], continues: id))
        return true
    }

    /// Makes the reply that is continued the reply of a turn.
    func takeUp(_ id: ChatItem.ID, _ turn: ChatTurn) {
        guard let item = self[id] else { return }
        turn.replyID = id
        turn.written = item.written
        let text = turn.take(turn.scanner.read(turn.written)).withoutGapAtStart
        chat.update(id) { $0.setReceiptAside() }
        update(id) { item in
            (item.text, item.written, item.isContinued) = (text, "", !text.isEmpty)
            (item.failure, item.ending, item.receipt) = (nil, nil, nil)
            item.isStreaming = true
        }
    }

    // MARK: A message that waits

    /// Keeps a message that is sent as soon as the turn has ended; ``recall()`` takes it back.
    ///
    /// - Parameter text: the message.
    /// - Returns: whether it is kept or was sent at once because no turn is in progress; not if it is empty, if another
    ///   one waits, or without a model.
    @discardableResult
    public func queue(_ text: String) -> Bool {
        let text = text.trimmingWhitespace
        guard isModelLoaded, !text.isEmpty, queued == nil else { return false }
        if isGenerating { queued = text } else { begin(ChatTurn.Draft(text: text)) }
        return true
    }

    /// Takes back the message that waits.
    ///
    /// - Returns: its text; nil if none waits.
    public func recall() -> String? {
        defer { queued = nil }
        return queued
    }

    /// Sends the message that waits.
    ///
    /// - Returns: whether there was one.
    func sendQueued() -> Bool {
        guard let text = recall() else { return false }
        begin(ChatTurn.Draft(text: text))
        return true
    }
}
