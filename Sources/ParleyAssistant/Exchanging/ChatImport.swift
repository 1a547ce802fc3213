// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyConversation
import ParleyFiles
import ParleyJSON
import ParleyOpenAI

/// Reads chats of other programs and other machines, as new chats.
public enum ChatImport {
    /// The maximum size of a file in bytes.
    public static let limit = 256 << 20
    /// The maximum number of chats in a file.
    public static let mostChats = 100_000

    /// The chats of a file: one chat or a list of chats as Parley exports them, the `conversations.json` of ChatGPT, or
    /// a plain list of messages as earlier assistants kept it.
    ///
    /// Nobody knows who wrote what in a file, so all messages count as written after reading text of others, and their
    /// cards ask nothing. Images of more pixels than are decoded are left out, with a remark.
    ///
    /// - Parameter data: the content of the file, which is not trusted.
    /// - Returns: the chats without empty ones. The id of each is made of what the file has of it, so that the same again is
    ///   the same chat.
    /// - Throws: ``AssistantError`` with code `invalidItem` or `tooLarge`.
    public static func chats(from data: Data) throws(AssistantError) -> [Chat] {
        guard data.count <= limit else {
            throw AssistantError(.tooLarge, "The file has more than \(limit >> 20) MiB; divide it.")
        }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: data, limits: JSONLimits(depth: 96, bytes: limit))
        } catch {
            throw AssistantError(.invalidItem, "The file is no valid JSON: \(error)", cause: error)
        }
        let values = value.array ?? [value]
        guard values.count <= mostChats else {
            throw AssistantError(.tooLarge, "The file has more than \(mostChats) entries; divide it.")
        }
        if values.contains(where: { $0["role"] != nil }) {
            return messages(values, id(of: value)).map { [$0.distrusted] } ?? []
        }
        var chats: [Chat] = []
        for value in values {
            let chat: Chat
            if value["parley_chat"] != nil {
                chat = try Chat(saved: value).asNew(id(of: value))
            } else if let mapping = value["mapping"]?.object {
                chat = conversation(value, mapping, id(of: value))
            } else {
                throw AssistantError(.invalidItem, "The file has neither chats of Parley nor of ChatGPT.")
            }
            if !chat.isEmpty { chats.append(chat.distrusted) }
        }
        return chats
    }

    private static func id(of value: JSONValue) -> UUID { id(of: value.text()) }

    /// The identifier that a text stands for, always the same.
    static func id(of text: String) -> UUID {
        SHA256Hash.digest(of: Data(text.utf8)).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    // MARK: - Plain messages

    private static func messages(_ values: [JSONValue], _ id: UUID) -> Chat? {
        var dates = values.lazy.compactMap { date($0) }.makeIterator()
        var chat = Chat(id: id, created: dates.next() ?? Date())
        for value in values.prefix(Chat.limit) {
            guard let role = value["role"]?.string.flatMap(ChatMessageRole.init(rawValue:)), role != .tool,
                let text = value["content"]?.string ?? texts(value["content"]), !text.isEmpty
            else { continue }
            chat.append(ChatMessage(role: role, content: [.text(text)], date: date(value) ?? chat.created))
        }
        return chat.isEmpty ? nil : chat
    }

    private static func texts(_ content: JSONValue?) -> String? {
        content?.array.map { $0.compactMap { $0["text"]?.string }.joined() }
    }

    private static func date(_ value: JSONValue) -> Date? {
        for name in ["date", "timestamp", "created", "created_at", "create_time"] {
            if let date = Chat.date(value[name]) { return date }
            if let text = value[name]?.string, let date = try? Date(text, strategy: .iso8601) { return date }
        }
        return nil
    }

    // MARK: - ChatGPT

    /// A conversation of ChatGPT: a map of nodes, each of which names its parent.
    private static func conversation(_ value: JSONValue, _ mapping: JSONObject, _ id: UUID) -> Chat {
        var chat = Chat(id: id, created: Chat.date(value["create_time"]) ?? Date())
        // Children in the order of the file. Nodes that are in a circle are below no root, and so left out.
        var children: [String: [String]] = [:]
        var waiting: [(id: String, parent: UUID?)] = []
        for (id, node) in mapping.elements {
            if let parent = node["parent"]?.string, mapping[parent] != nil {
                children[parent, default: []].append(id)
            } else {
                waiting.append((id, nil))
            }
        }
        var ids: [String: UUID] = [:]
        var place = 0
        while place < waiting.count, chat.nodes.count < Chat.limit {
            let (id, parent) = waiting[place]
            place += 1
            var below = parent
            if let message = message(mapping[id]?["message"] ?? .null, created: chat.created) {
                if let parent { chat.branch(after: parent) } else { chat.current = nil }
                below = chat.append(message)
            }
            ids[id] = below
            for child in children[id] ?? [] { waiting.append((child, below)) }
        }
        if let last = value["current_node"]?.string.flatMap({ ids[$0] }) { chat.branch(after: last) }
        if let title = value["title"]?.string, !title.isEmpty { chat.rename(title) }
        return chat
    }

    /// A message that a person or the model wrote; nil for what the program itself put between.
    private static func message(_ value: JSONValue, created: Date) -> ChatMessage? {
        guard let role = value["author"]?["role"]?.string.flatMap(ChatMessageRole.init(rawValue:)),
            role == .user || role == .assistant,
            value["metadata"]?["is_visually_hidden_from_conversation"]?.bool != true,
            let content = value["content"]
        else { return nil }
        let kind = content["content_type"]?.string ?? "text"
        guard ["text", "multimodal_text", "code"].contains(kind) else { return nil }
        let parts = content["parts"]?.array?.compactMap { $0.string ?? $0["text"]?.string }
        let text = (parts ?? [content["text"]?.string ?? ""]).joined(separator: "\n")
        guard !text.isEmpty else { return nil }
        return ChatMessage(role: role, content: [.text(text)], date: Chat.date(value["create_time"]) ?? created)
    }
}

extension JSONValue {
    /// What the tree keeps beside a message of which nobody knows who wrote it.
    fileprivate static let ofStranger: JSONValue = ["documents": [], "sources": [], "isUntrusted": true]

    /// What a file has beside a message, without documents and without the claim that no text of others was read.
    ///
    /// A card of a file asks nothing and undoes nothing: what it shows need not be what it would write. What the log of
    /// this machine has of a card comes back from there.
    fileprivate var asOfStranger: JSONValue {
        guard var members = object else { return self }
        for flag in ["isUntrusted", "readsUntrusted"] where members[flag] != nil { members[flag] = true }
        if members["documents"] != nil { members["documents"] = [] }
        if let stage = members["stage"]?.string {
            (members["confirmation"], members["logged"]) = (nil, 0)
            if stage == "proposed" { members["stage"] = "declined" }
        }
        return .object(members)
    }
}

extension ChatNode {
    /// Leaves out images of more pixels than are decoded, and those that do not state their size, with a remark.
    fileprivate mutating func leaveOutImages() {
        let kept = message.content.filter { part in
            guard case .image(let content) = part else { return true }
            return (try? ImageSize.check(content)) != nil
        }
        guard kept.count < message.content.count else { return }
        message.content = kept
        let remark = "An image is left out: it is too large, or damaged."
        notice = notice.map { "\($0) \(remark)" } ?? remark
    }
}

extension Chat {
    /// The chat as one that was never saved, whose actions are not run again.
    fileprivate func asNew(_ id: UUID) -> Chat {
        var copy = withID(id)
        for node in nodes {
            copy.withNode(node.id) { node in
                node.hasRunActions = true
                node.leaveOutImages()
            }
        }
        // Another machine may not have it.
        copy.model = nil
        copy.repair()
        return copy
    }

    /// The chat as one of a file: nobody knows who wrote what in it. Another machine's documents are not there, and a file
    /// must not choose what is read here.
    fileprivate var distrusted: Chat {
        var copy = self
        for node in nodes {
            copy.withNode(node.id) { node in
                // The first holds where what the file has cannot be read.
                let others = node.cards.map(\.asOfStranger).filter { $0 != .ofStranger }
                node.cards = [.ofStranger] + others
            }
        }
        return copy
    }

    /// The chat under another id, as one that was never saved.
    func withID(_ id: UUID) -> Chat {
        var copy = Chat(id: id, title: title, hasOwnTitle: hasOwnTitle, created: created, changed: changed)
        for node in nodes { copy.insert(node) }
        (copy.current, copy.isPinned, copy.model) = (current, isPinned, model)
        return copy
    }
}
