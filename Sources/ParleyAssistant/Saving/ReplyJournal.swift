// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON

/// What a reply that is being generated has added since its journal was last written, as lines of JSON.
///
/// Every line says where in the text it belongs, so a line that is read twice does no harm. A line that was cut off by
/// the end of the process ends the reading.
struct ReplyJournal {
    /// The maximum size of a journal in bytes.
    static let limit = 32 << 20

    private struct Written {
        var text = ""
        var reasoning = ""
        var state: ChatNode.State?
    }

    /// What the journal has of each reply.
    private var written: [UUID: Written] = [:]

    /// The line that a reply adds to the journal; nil if it adds nothing.
    mutating func line(for node: ChatNode) -> String? {
        var members: JSONObject = ["id": .string(node.id.uuidString)]
        var journaled = written[node.id] ?? Written()
        let isFirst = journaled.state == nil
        if isFirst {
            members["parent"] = node.parent.map { .string($0.uuidString) } ?? .null
            members["created"] = Chat.saved(node.message.date)
        }
        let text = node.message.text
        let reasoning = node.message.reasoningContent ?? ""
        if let (at, piece) = Self.difference(journaled.text, text) {
            (members["at"], members["text"]) = (.integer(at), .string(piece))
        }
        if let (at, piece) = Self.difference(journaled.reasoning, reasoning) {
            (members["reasoning_at"], members["reasoning"]) = (.integer(at), .string(piece))
        }
        guard isFirst || members.count > 1 || journaled.state != node.state else { return nil }
        members["state"] = .string(node.state.rawValue)
        journaled = Written(text: text, reasoning: reasoning, state: node.state)
        written[node.id] = journaled
        return JSONValue.object(members).text() + "\n"
    }

    /// From where on a text differs from what is written, and its rest; nil if it does not.
    private static func difference(_ written: String, _ text: String) -> (at: Int, rest: String)? {
        // Bytes are compared: a combining mark may have changed the last character.
        if written.utf8.elementsEqual(text.utf8) { return nil }
        guard text.utf8.starts(with: written.utf8) else { return (0, text) }
        return (written.utf8.count, String(decoding: text.utf8.dropFirst(written.utf8.count), as: UTF8.self))
    }

    // MARK: - Reading

    /// Adds what a journal has to the replies of a chat that are not finished there.
    ///
    /// - Parameters:
    ///   - data: the journal.
    ///   - chat: the chat.
    /// - Returns: whether the journal was whole: nothing but its last line was cut off.
    static func fold(_ data: Data, into chat: inout Chat) -> Bool {
        var replies: [UUID: Reply] = [:]
        var order: [UUID] = []
        var isWhole = true
        var rest = data[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard let value = try? JSONValue(parsing: line, limits: JSONLimits(depth: 8, bytes: limit)),
                let id = value["id"]?.string.flatMap(UUID.init(uuidString:))
            else {
                isWhole = false
                break
            }
            if replies[id] == nil {
                replies[id] = Reply(
                    parent: value["parent"]?.string.flatMap(UUID.init(uuidString:)),
                    created: Chat.date(value["created"]))
                order.append(id)
            }
            replies[id]?.add(value)
        }
        for id in order {
            guard let reply = replies[id] else { continue }
            reply.put(id, into: &chat)
        }
        return isWhole
    }

    private struct Reply {
        let parent: UUID?
        let created: Date?
        var text: [UInt8] = []
        var reasoning: [UInt8] = []

        init(parent: UUID?, created: Date?) { (self.parent, self.created) = (parent, created) }

        mutating func add(_ line: JSONValue) {
            Self.add(line["text"]?.string, at: line["at"]?.integer, to: &text)
            Self.add(line["reasoning"]?.string, at: line["reasoning_at"]?.integer, to: &reasoning)
        }

        private static func add(_ piece: String?, at place: Int?, to bytes: inout [UInt8]) {
            guard let piece, let place, (0...bytes.count).contains(place) else { return }
            bytes.removeSubrange(place...)
            bytes += piece.utf8
        }

        func put(_ id: UUID, into chat: inout Chat) {
            if chat[id] == nil {
                // The chat was never saved with the reply, or another process has taken the place of its file.
                let message = ChatMessage(role: .assistant, content: [], id: id, date: created ?? chat.changed)
                chat.insert(ChatNode(message, parent: parent.flatMap { chat[$0]?.id }, state: .streaming))
                if chat.current == nil || chat.current == parent { chat.current = id }
            }
            guard let node = chat[id], node.state.isUnfinished, !node.isDeleted else { return }
            let (text, reasoning) = (String(decoding: text, as: UTF8.self), String(decoding: reasoning, as: UTF8.self))
            // The chat may have been saved after the journal was last written.
            let saved = node.message.text.utf8.count + (node.message.reasoningContent ?? "").utf8.count
            guard text.utf8.count + reasoning.utf8.count >= saved else { return }
            chat.update(id) { node in
                node.message.content = text.isEmpty ? [] : [.text(text)]
                if !reasoning.isEmpty { node.message.reasoningContent = reasoning }
                if node.state == .waiting { node.state = .streaming }
            }
        }
    }
}
