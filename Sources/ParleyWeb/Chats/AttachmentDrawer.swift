// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyActions
import ParleyAssistant
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

    /// Keeps a file for a chat.
    ///
    /// - Returns: what the page shows of it.
    /// - Throws: `AssistantError` if it cannot be kept or read.
    func add(_ bytes: [UInt8], _ name: String, to chat: UUID) async throws -> JSONValue {
        let kept = try await store.add(Data(bytes), named: name, to: chat)
        var cut: String?
        if !kept.kind.isImage, let documents {
            do {
                let text = try await documents.text(at: kept.url)
                if text.isCut { cut = "the first \(text.text.count) characters" }
            } catch {
                await store.remove(kept.id)
                throw error
            }
        }
        return [
            "id": .string(kept.id), "name": .string(kept.name), "kind": kept.kind.isImage ? "image" : "document",
            "size": .integer(kept.size), "tokens": .null, "cut": cut.map { .string($0) } ?? .null,
            "url": .string("/app/v1/attachments/\(kept.id)"),
        ]
    }

    /// What is attached to a message, by the ids of the page.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` or `AssistantError` if one is not there.
    func contents(_ ids: [JSONValue]) async throws -> [ChatAttachment] {
        guard ids.count <= Self.most else {
            throw ServerError(
                400, .invalidValue, "A message has at most \(Self.most) attachments.", param: "attachments")
        }
        var contents: [ChatAttachment] = []
        for id in ids { contents.append(try await store.chatAttachment(id.string ?? "")) }
        return contents
    }

    /// The bytes of an attachment, of a type that no browser shows by itself.
    ///
    /// - Throws: `AssistantError` if it is not there.
    func answer(_ id: String) async throws -> PageAnswer {
        .bytes(
            Array(try await store.content(of: id)), type: "application/octet-stream",
            fields: [.contentDisposition: "attachment"])
    }

    func remove(_ id: String) async { await store.remove(id) }
}
