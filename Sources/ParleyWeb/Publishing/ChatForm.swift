// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyJSON
import ParleyMarkdown

/// What the page knows of a chat, as a value: turns changes into events, and is the state for who comes anew.
///
/// Texts become blocks here. Of a reply that grows only what is new is told, and of all else only what is different.
struct ChatForm: Sendable {
    /// The number of messages that the page gets at a time.
    static let most = 100

    private struct Growing {
        var answer: GrowingBlocks
        var thinking: GrowingBlocks
    }

    /// What the page has.
    private(set) var state: ChatViewState
    private var growing: [UUID: Growing] = [:]
    /// How much of the model's context is taken; nil while it is not known.
    private var use: ChatContextUse?
    /// What is attached to the next message.
    private var attached: [JSONValue] = []

    init(_ state: ChatViewState) {
        self.state = state
        for message in state.messages where message.isStreaming { follow(message) }
    }

    /// Takes a change.
    ///
    /// - Returns: what the page is told.
    mutating func take(_ change: ChatViewChange) -> [PageEvent] {
        switch change {
        case .state(let new):
            if new == state { return [] }
            let (use, attached) = (use, attached)
            self = ChatForm(new)
            (self.use, self.attached) = (use, attached)
            return [PageEvent(type: "chat.replaced", data: ["chat": .object(snapshot)])]
        case .message(let message):
            let place = index(of: message.id)
            if let place, let cards = Self.changedCards(of: message, since: state.messages[place]) {
                state.messages[place] = message
                return cards.map { card in
                    let data: JSONObject = [
                        "chat": chatID, "message": .string(message.id.uuidString), "card": card.value,
                    ]
                    return PageEvent(type: "card.updated", data: data)
                }
            }
            if let place { state.messages[place] = message } else { state.messages.append(message) }
            follow(message)
            let json = self.json(message)
            // From now on only what changes behind these blocks is news.
            _ = growing[message.id]?.answer.news()
            _ = growing[message.id]?.thinking.news()
            return [
                PageEvent(
                    type: place == nil ? "message.added" : "message.updated",
                    data: ["chat": chatID, "message": .object(json)])
            ]
        case .appended(let id, let text, let thinking):
            guard let place = index(of: id) else { return [] }
            state.messages[place].text += text
            state.messages[place].thinking += thinking
            if growing[id] == nil { follow(state.messages[place]) }
            growing[id]?.answer.append(text)
            growing[id]?.thinking.append(thinking)
            return deltas(of: id, text: text, thinking: thinking)
        case .removed(let id):
            state.messages.removeAll { $0.id == id }
            growing[id] = nil
            return [PageEvent(type: "message.removed", data: ["chat": chatID, "id": .string(id.uuidString)])]
        case .status(let status):
            let (known, before) = (state.status.notices.last?.id ?? 0, self.status)
            state.status = status
            let notices = status.notices.filter { $0.id > known }.map {
                PageEvent(type: "notice", data: ["chat": chatID, "notice": Self.json($0)])
            }
            return notices + (self.status == before ? [] : [updated])
        }
    }

    /// The cards that are new or other ones, where nothing else of a message has changed; nil where something has.
    private static func changedCards(
        of message: ChatViewState.Message, since old: ChatViewState.Message
    ) -> [ChatViewState.Card]? {
        var rest = message
        rest.cards = old.cards
        let ids = { (cards: [ChatViewState.Card]) in cards.map { $0.value["id"] } }
        guard rest == old, message.cards != old.cards, ids(message.cards).starts(with: ids(old.cards)) else {
            return nil
        }
        return message.cards.enumerated().filter { index, card in
            !old.cards.indices.contains(index) || old.cards[index] != card
        }.map(\.element)
    }

    /// Takes note of how much of the context is taken.
    ///
    /// - Returns: what the page is told.
    mutating func take(_ use: ChatContextUse?) -> [PageEvent] {
        if use == self.use { return [] }
        self.use = use
        return [updated]
    }

    /// Takes note of what is attached to the next message.
    ///
    /// - Returns: what the page is told.
    mutating func take(attached: [JSONValue]) -> [PageEvent] {
        if attached == self.attached { return [] }
        self.attached = attached
        return [updated]
    }

    private var updated: PageEvent {
        var data = status
        data["chat"] = chatID
        return PageEvent(type: "chat.updated", data: data)
    }

    /// What was said about the chat so far.
    var notices: JSONValue { .array(state.status.notices.map(Self.json)) }

    private static func json(_ notice: ScreenNotice) -> JSONValue {
        [
            "id": .integer(notice.id), "kind": .string(notice.kind.rawValue), "text": .string(notice.text),
            "date": .number(notice.date.timeIntervalSince1970),
        ]
    }

    /// The chat with its last messages.
    var snapshot: JSONObject {
        let shown = state.messages.suffix(Self.most)
        var chat = status
        chat["id"] = chatID
        chat["messages"] = .array(shown.map { .object(json($0)) })
        chat["earlier"] = .integer(state.messages.count - shown.count)
        return chat
    }

    /// The messages before one that the page has; nil if there is none such.
    func messages(before id: UUID) -> JSONObject? {
        guard let place = index(of: id) else { return nil }
        let shown = state.messages[..<place].suffix(Self.most)
        return [
            "messages": .array(shown.map { .object(json($0)) }), "earlier": .integer(place - shown.count),
        ]
    }

    private var chatID: JSONValue { .string(state.chatID.uuidString) }

    private var status: JSONObject {
        var status = JSONValue(encoding: state.status).object ?? [:]
        status["attachments"] = .array(attached)
        // A message that could not be sent waits here for its writer.
        let unsent = state.status.inputText
        status["unsent"] = unsent.isEmpty ? .null : ["text": .string(unsent)]
        status["queued"] = state.status.queued.map { ["text": .string($0)] } ?? .null
        // The page has its own field and search, and is told notices one by one.
        for name in ["input_text", "search_text", "search_results", "notices", "error_message", "toast", "title"] {
            status[name] = nil
        }
        return [
            "title": .string(state.status.title), "is_pinned": .bool(state.status.isPinned), "status": .object(status),
            "context": use.map { JSONValue(encoding: $0) } ?? .null,
        ]
    }

    /// The place of a message, which is nearly always one of the last.
    private func index(of id: UUID) -> Int? { state.messages.lastIndex { $0.id == id } }

    private mutating func follow(_ message: ChatViewState.Message) {
        guard message.isStreaming else {
            growing[message.id] = nil
            return
        }
        if let known = growing[message.id], known.answer.text == message.text, known.thinking.text == message.thinking {
            return
        }
        growing[message.id] = Growing(answer: GrowingBlocks(message.text), thinking: GrowingBlocks(message.thinking))
    }

    private mutating func deltas(of id: UUID, text: String, thinking: String) -> [PageEvent] {
        let chat = chatID
        func event(_ part: String, _ news: JSONObject, _ more: String) -> PageEvent {
            var data: JSONObject = [
                "chat": chat, "id": .string(id.uuidString), "part": .string(part), "text_append": .string(more),
            ]
            data.merge(news) { own, _ in own }
            return PageEvent(type: "message.delta", data: data)
        }
        var events: [PageEvent] = []
        if !thinking.isEmpty, let news = growing[id]?.thinking.news() {
            events.append(event("thinking", news, thinking))
        }
        if !text.isEmpty, let news = growing[id]?.answer.news() { events.append(event("blocks", news, text)) }
        return events
    }

    /// A message in its form, with blocks in the place of texts.
    private func json(_ message: ChatViewState.Message) -> JSONObject {
        var json = JSONValue(encoding: message).object ?? [:]
        json["attachments"] = .array(message.attachments.map { AttachmentForm.json($0, in: state.chatID) })
        let known = growing[message.id]
        json["thinking"] = BlockForm.json(
            known?.thinking.blocks ?? MarkdownReader.blocks(of: message.thinking))
        // What people write is shown as they wrote it.
        json["blocks"] =
            message.author == .user
            ? [] : BlockForm.json(known?.answer.blocks ?? MarkdownReader.blocks(of: message.text))
        return json
    }
}

extension JSONValue {
    /// A value in its JSON form; null for one that has none.
    init(encoding value: some Encodable) {
        let encoder = JSONEncoder()
        // Else the same value would have another text each time.
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value),
            let json = try? JSONValue(parsing: String(decoding: data, as: UTF8.self))
        else {
            self = .null
            return
        }
        self = json
    }
}
