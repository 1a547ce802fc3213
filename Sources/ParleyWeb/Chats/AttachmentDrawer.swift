// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer

/// What pages upload for messages, and get back.
struct AttachmentDrawer: Sendable {
    /// The most attachments of a message.
    static let most = 16

    let store: AttachmentStore
    /// Reads documents; what is attached is read at once, so that a mistake is told then.
    let documents: (any DocumentReader)?

    /// Keeps a file for the next message of a chat.
    ///
    /// - Returns: what the page shows of it.
    /// - Throws: `AssistantError` if it cannot be kept or read.
    func add(_ bytes: [UInt8], _ name: String, to chat: OpenChat) async throws -> JSONValue {
        let kept = try await store.add(Data(bytes), named: name, to: chat.id)
        var cut: String?
        if !kept.kind.isImage, let documents {
            do {
                let text = try await documents.text(at: kept.url)
                if text.isCut { cut = "the first \(text.text.count) characters" }
            } catch {
                if await !AttachmentStore.refers(chat.model.chat, to: kept.id) { await store.remove(kept.id) }
                throw error
            }
        }
        let content = try await store.chatAttachment(kept.id)
        let tokens = await chat.model.tokens(of: content)
        let json: JSONValue = [
            "id": .string(kept.id), "name": .string(kept.name), "kind": kept.kind.isImage ? "image" : "document",
            "size": .integer(kept.size), "tokens": tokens.map { .integer($0) } ?? .null,
            "cut": cut.map { .string($0) } ?? .null, "url": .string(AttachmentForm.address(kept.id)),
        ]
        await chat.attach(content, json)
        return json
    }

    /// What is attached to a message, by the ids of the page.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` or `AssistantError` if one is not there.
    func contents(_ ids: [String]) async throws -> [ChatAttachment] {
        guard ids.count <= Self.most else {
            throw ServerError(
                400, .invalidValue, "A message has at most \(Self.most) attachments.", param: "attachments")
        }
        var contents: [ChatAttachment] = []
        for id in ids { contents.append(try await store.chatAttachment(id)) }
        return contents
    }

    /// The bytes of an attachment, of a type that no browser shows by itself.
    ///
    /// - Parameters:
    ///   - id: the attachment.
    ///   - history: the chats, whose messages have images that were never uploaded here.
    /// - Returns: the answer.
    /// - Throws: `AssistantError` if it is not there.
    func answer(_ id: String, _ history: ChatStore) async throws -> PageAnswer {
        var content: Data?
        if await store.attachment(id) == nil { content = try await image(id, history) }
        let bytes = if let content { content } else { try await store.content(of: id) }
        return .bytes(
            Array(bytes), type: "application/octet-stream", fields: [.contentDisposition: "attachment"])
    }

    /// An image of a message; nil if no message has it.
    private func image(_ id: String, _ history: ChatStore) async throws -> Data? {
        guard let chat = UUID(uuidString: String(id.prefix(36))), let kept = try await history.chat(chat) else {
            return nil
        }
        for node in kept.nodes where !node.isDeleted {
            for case .image(let content) in node.message.content
            where AttachmentStore.id(of: content, in: chat) == id { return content }
        }
        return nil
    }

    /// Removes what is not sent after all, unless a message has it too.
    func remove(_ id: String, from chat: OpenChat) async {
        await chat.detach(id)
        if await !AttachmentStore.refers(chat.model.chat, to: id) { await store.remove(id) }
    }
}
