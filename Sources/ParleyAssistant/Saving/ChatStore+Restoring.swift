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
    /// The most deleted chats that are listed.
    private static let mostDeleted = 200

    /// The chats that were deleted and can be brought back, those that were deleted last first.
    ///
    /// - Returns: the chats; a damaged one is left out.
    public func deletedChats() -> [DeletedChat] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.deletedFolder.path)) ?? []
        let files = names.compactMap { name -> (url: URL, date: Date)? in
            guard name.hasSuffix(".json"), UUID(uuidString: String(name.dropLast(5))) != nil else { return nil }
            let url = folder.deletedFolder.appending(path: name, directoryHint: .notDirectory)
            guard let date = try? FileStamp.changed(url),
                Date().timeIntervalSince(date) <= Self.undoPeriod / .seconds(1)
            else { return nil }
            return (url, date)
        }
        let latest = files.sorted { ($1.date, $0.url.path) < ($0.date, $1.url.path) }.prefix(Self.mostDeleted)
        return latest.compactMap { file in
            guard let chat = try? folder.chat(at: file.url), !contains(chat.id) else { return nil }
            return DeletedChat(summary: ChatSummary(chat), deleted: file.date)
        }
    }
}
