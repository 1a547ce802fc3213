// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// How much of the model's context the next message of a chat finds taken, in tokens.
public struct ChatContextUse: Hashable, Sendable, Codable {
    /// The size of the context, prompt and reply together.
    public var size: Int
    /// What the system prompt, the actions and the tools take.
    public var prompt: Int
    /// What the messages take that the model reads.
    public var history: Int
    /// What the documents take that are attached to the next message.
    public var documents: Int
    /// What is left for the next message and the reply to it.
    public var room: Int
    /// The first words of the message that would be left out next; nil if none would.
    public var nextDropped: String?

    enum CodingKeys: String, CodingKey {
        case size, prompt, history, documents, room
        case nextDropped = "next_dropped"
    }
}

extension ChatViewModel {
    /// How much of the context the next message finds taken. The tokens are counted outside of the main actor.
    ///
    /// - Returns: the use; nil without a model whose context is known, and where the model cannot count.
    public func contextUse() async -> ChatContextUse? {
        guard let model, let size = model.contextSize else { return nil }
        let (attached, window) = (
            attachments,
            ChatWindow(messages, limit: dependencies.settings().historyWindow, in: dependencies.context())
        )
        let bare = await dependencies.systemPrompt.systemPrompt(model.offer, at: window.begun)
        let texts = await documentTexts(attached) { _ in }
        let functions = model.callsFunctions ? self.functions.filter { !refusedFunctions.contains($0.name) } : []
        let whole = (texts + [bare.text]).joined(separator: "\n\n")
        let counts = await Self.counts(
            of: [
                [.system(bare.text), .user("")], [.system(bare.text)] + window.messages,
                [.system(whole)] + window.messages,
            ], functions, by: model.runner)
        guard let counts else { return nil }
        let turns = window.messages.count { $0.role == .user }
        let oldest = window.messages.first?.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return ChatContextUse(
            size: size, prompt: counts[0], history: max(counts[1] - counts[0], 0),
            documents: max(counts[2] - counts[1], 0), room: max(size - max(counts[0], counts[2]), 0),
            nextDropped: turns > 1 ? oldest.map { String($0.prefix(60)) } : nil)
    }

    /// The tokens that an attachment takes.
    ///
    /// - Parameter attachment: the attachment; of a document its text, as far as it is read.
    /// - Returns: the number; nil if they cannot be counted.
    public func tokens(of attachment: ChatAttachment) async -> Int? {
        guard let model else { return nil }
        var message = ChatMessage.user("")
        if case .image(let data) = attachment {
            guard model.seesImages else { return nil }
            message.content.insert(.image(data), at: 0)
        } else {
            let texts = await documentTexts([attachment]) { _ in }
            if texts.isEmpty { return nil }
            message = .user(texts.joined())
        }
        let counts = await Self.counts(of: [[.user("")], [message]], [], by: model.runner)
        return counts.map { max($0[1] - $0[0], 0) }
    }

    /// The tokens of some prompts; nil if they cannot be counted.
    private nonisolated static func counts(
        of prompts: [[ChatMessage]], _ functions: [Function], by runner: any ModelRunner
    ) async -> [Int]? {
        var counts: [Int] = []
        for messages in prompts {
            // Templates demand a message of the user.
            let messages = messages.contains { $0.role == .user } ? messages : messages + [.user("")]
            let count = try? await runner.promptTokenCount(messages: messages, functions: functions, options: nil)
            guard let count else { return nil }
            counts.append(count)
        }
        return counts
    }
}
