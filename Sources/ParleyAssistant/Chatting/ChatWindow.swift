// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyConversation

/// The messages that a model reads before it replies: the newest ones of a chat.
///
/// What is read with one turn is for the most part the beginning of what is read with the next, now or after the chat
/// has been reopened, so that the model can use again what it has computed: the window moves in steps of half its
/// length, and where time has passed the message says so, instead of the system prompt.
struct ChatWindow: Sendable {
    /// How much later than the time that the model knows a message tells its own.
    static let staleness: TimeInterval = 3_600

    /// When the first of the messages was written: the time that the system prompt tells.
    let begun: Date
    /// The messages, without a system prompt; they begin with the user's and take turns.
    let messages: [ChatMessage]
    /// Whether one of them, or a message that they quote, was written after reading untrusted text.
    let isUntrusted: Bool
    /// Whether one of them holds an image.
    let hasImages: Bool

    /// Takes the newest messages of a chat: `limit` at most, and at least half of that. Failed replies are left out.
    init(_ items: [ChatItem], limit: Int, in context: DateContext) {
        let known = items.filter { $0.failure == nil && !($0.author == .assistant && $0.isBlank) }
        let (excess, step) = (max(known.count - max(limit, 1), 0), max(limit / 2, 1))
        let newest = known.dropFirst((excess + step - 1) / step * step).drop { $0.author == .assistant }
        begun = newest.first?.date ?? context.now
        var told = begun
        var isUntrusted = false
        var messages: [ChatMessage] = []
        for item in newest {
            let quoted = item.replyingTo.flatMap { id in items.first { $0.id == id } }
            isUntrusted = isUntrusted || item.isUntrusted || quoted?.isUntrusted == true
            var message = Self.message(item, quoting: quoted)
            if item.author == .user {
                // The newest message may be an old one to which another reply is wanted.
                let date = item.id == newest.last?.id ? context.now : item.date
                if abs(date.timeIntervalSince(told)) >= Self.staleness
                    || context.clock.day(of: date) != context.clock.day(of: told)
                {
                    told = date
                    let now =
                        "(It is now \(context.clock.day(of: date).spelledOut), a little after \(context.clock.quarter(of: date)).)"
                    message.content.insert(.text(now + "\n\n"), at: 0)
                }
            }
            // Many chat templates demand that user and assistant take turns.
            if let last = messages.last, last.role == message.role {
                messages[messages.count - 1].content += [.text("\n\n")] + message.content
            } else {
                messages.append(message)
            }
            messages += Self.results(of: item)
        }
        (self.messages, self.isUntrusted) = (messages, isUntrusted)
        hasImages = messages.contains { $0.content.contains { if case .image = $0 { true } else { false } } }
    }

    /// What became of the functions that a reply called. What they found is shown to the user alone.
    private static func results(of item: ChatItem) -> [ChatMessage] {
        guard !item.cards.isEmpty else { return [] }
        return item.calls.map { call in
            let card = item.cards.first { $0.callID == call.id }
            return .functionResult(card.map { $0.textForModel(in: $0.context) } ?? "Not carried out.", for: call)
        }
    }

    private static func message(_ item: ChatItem, quoting quoted: ChatItem?) -> ChatMessage {
        guard item.author == .user else {
            let calls = item.cards.isEmpty ? [] : item.calls
            return ChatMessage(
                role: .assistant, content: [.text(item.written.isEmpty ? item.text : item.written)],
                functionCalls: calls.isEmpty ? nil : calls, id: item.id, date: item.date)
        }
        var text = item.text
        if let quoted, !quoted.text.isEmpty {
            let lines = quoted.text.prefix(400).split(separator: "\n").map { "> " + $0 }
            text = lines.joined(separator: "\n") + "\n\n" + text
        }
        let images = item.attachments.compactMap { attachment -> ChatMessageContent? in
            if case .image(let data) = attachment { .image(data) } else { nil }
        }
        return ChatMessage(role: .user, content: images + [.text(text)], id: item.id, date: item.date)
    }
}
