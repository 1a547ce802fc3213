// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyJSON

/// The form of what was attached to messages, for the page.
enum AttachmentForm {
    /// What the page shows of something that was sent. A document that lies elsewhere has no address.
    static func json(_ attachment: ChatViewState.Attachment, in chat: UUID) -> JSONValue {
        let id = AttachmentStore.id(of: attachment, in: chat)
        var size = attachment.size
        if size == nil, id != nil, let path = attachment.place {
            size = (try? URL(filePath: path).resourceValues(forKeys: [.fileSizeKey]))?.fileSize
        }
        return [
            "id": id.map { .string($0) } ?? .null, "name": .string(attachment.name),
            "kind": .string(attachment.kind.rawValue), "size": size.map { .integer($0) } ?? .null,
            "url": id.map { .string(address($0)) } ?? .null,
        ]
    }

    /// Where the page finds an attachment.
    static func address(_ id: String) -> String { "/app/v1/attachments/\(id)" }
}
