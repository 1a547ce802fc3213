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
        guard let history = try ChatImport.chats(from: data).first else { return nil }
        let chat = history.withID(Self.id(of: data))
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

    /// An id that depends on nothing but the content: two FNV-1a hashes of it.
    private static func id(of data: Data) -> UUID {
        func hash(_ basis: UInt64) -> UInt64 {
            data.reduce(basis) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        }
        let (high, low) = (hash(0xCBF2_9CE4_8422_2325), hash(0x8422_2325_CBF2_9CE4))
        let bytes = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) } }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
