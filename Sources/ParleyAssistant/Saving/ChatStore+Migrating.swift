// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles

extension ChatStore {
    /// Takes over the history of an earlier version, a list of messages, as a chat; the file is then renamed.
    ///
    /// It is taken over once, even if the process ends in between: the chat's id is made of the file's content.
    ///
    /// - Parameter file: the file, usually `chat_history.json`.
    /// - Returns: the chat's id; nil if there is no such file, or nothing in it.
    /// - Throws: ``AssistantError`` with code `invalidItem` if the file is damaged; it stays where it is.
    @discardableResult
    public func migrate(_ file: URL) throws -> UUID? {
        guard let data = try folder.contents(file) else { return nil }
        guard let chat = try ChatImport.chats(from: data).first else { return nil }
        do {
            // One that was deleted after an earlier migration stays deleted.
            if try self.chat(chat.id) == nil { try save(chat) }
        } catch let error as AssistantError {
            guard error.code == .itemNotFound else { throw error }
        }
        try retire(file, data)
        tell(.migrated(chat.id))
        return chat.id
    }

    /// Renames a history that was taken over; an earlier one of that name stays.
    private func retire(_ file: URL, _ data: Data) throws {
        let first = file.appendingPathExtension("migrated")
        guard let earlier = try folder.contents(first) else { return try folder.move(file, to: first) }
        if earlier == data { folder.remove(file) } else { try folder.move(file, aside: "migrated") }
    }
}
