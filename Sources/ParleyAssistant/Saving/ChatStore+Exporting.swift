// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyJSON

extension ChatStore {
    /// All chats with all their branches, as one JSON file that ``ChatImport`` reads.
    ///
    /// One chat is read after another, so that replies that grow meanwhile are kept in between. A damaged chat is left
    /// out, and told as a ``ChatNotice``.
    ///
    /// - Returns: a list of chats.
    /// - Throws: ``AssistantError`` with code `tooLarge` if the file could not be read again, or `storeUnavailable`;
    ///   `CancellationError` if the task is cancelled.
    public nonisolated func exportAll() async throws -> Data {
        var data = Data("[".utf8)
        for summary in try await summaries() {
            try Task.checkCancellation()
            guard let chat = try await readable(summary.id) else { continue }
            data.append(Data((data.count > 1 ? ",\n" : "\n").utf8))
            data.append(Data(try chat.saved().text().utf8))
            guard data.count < ChatImport.limit else {
                throw AssistantError(
                    .tooLarge,
                    "All chats together have more than \(ChatImport.limit >> 20) MiB; export them one by one.")
            }
        }
        data.append(Data("\n]\n".utf8))
        return data
    }

    /// A chat; nil if it has gone meanwhile or is damaged.
    private func readable(_ id: UUID) throws -> Chat? {
        do {
            return try chat(id)
        } catch let error as AssistantError {
            guard error.code == .invalidItem || error.code == .refused else { throw error }
            return nil
        }
    }

    /// Adds chats, such as a ``ChatImport`` has read. One that is there already stays as it is, and one that was deleted
    /// comes back.
    ///
    /// - Parameter chats: the chats.
    /// - Returns: the chats as they are saved.
    /// - Throws: ``AssistantError``, as ``save(_:)``; those before the one that cannot be saved stay.
    @discardableResult
    public nonisolated func add(_ chats: [Chat]) async throws -> [Chat] {
        var saved: [Chat] = []
        for chat in chats {
            try Task.checkCancellation()
            saved.append(try await add(chat))
        }
        return saved
    }

    private func add(_ chat: Chat) throws -> Chat {
        if canRestore(chat.id) { try restoreAll([chat.id]) }
        if let known = try self.chat(chat.id) { return known }
        do {
            return try save(chat)
        } catch let error as AssistantError where error.code == .itemNotFound {
            // The id of a chat that was deleted for good is not given again; the next one is always the same, so that the
            // chat still comes in once.
            return try add(chat.withID(ChatImport.id(of: chat.id.uuidString)))
        }
    }
}
