// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A chat that was deleted and can be brought back.
public struct DeletedChat: Hashable, Sendable {
    /// What the list showed of it.
    public var summary: ChatSummary
    /// When it was deleted.
    public var deleted: Date
}

extension ChatStore {
    /// The chats that were deleted and can be brought back, those that were deleted last first.
    ///
    /// - Parameter limit: the maximum number of chats.
    /// - Returns: the chats, a damaged one left out, and how many there are beyond the limit.
    public func deletedChats(limit: Int = 200) -> (chats: [DeletedChat], more: Int) {
        let files = deletedFiles()
        let chats = files.prefix(max(limit, 0)).compactMap { file -> DeletedChat? in
            guard let chat = try? folder.chat(at: folder.deleted(file.id)) else { return nil }
            return DeletedChat(summary: ChatSummary(chat), deleted: file.date)
        }
        return (chats, max(files.count - max(limit, 0), 0))
    }

    /// Brings all deleted chats back.
    ///
    /// - Throws: ``AssistantError``.
    public func restoreAll() throws { try restoreAll(deletedFiles().map(\.id)) }

    /// Removes deleted chats for good.
    ///
    /// - Parameter ids: the chats; nil for all that were deleted.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    public func forgetDeleted(_ ids: [UUID]? = nil) throws {
        try locked { () throws(AssistantError) in
            try folder.forgetDeleted(Set(ids ?? deletedFiles().map(\.id)))
        }
    }

    private func deletedFiles() -> [(id: UUID, date: Date)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.deletedFolder.path)) ?? []
        let files = names.compactMap { name -> (id: UUID, date: Date)? in
            guard name.hasSuffix(".json"), let id = UUID(uuidString: String(name.dropLast(5))), !contains(id),
                let date = try? FileStamp.changed(folder.deleted(id)), date >= Self.oldestDeletion
            else { return nil }
            return (id, date)
        }
        return files.sorted { ($1.date, $0.id.uuidString) < ($0.date, $1.id.uuidString) }
    }
}
