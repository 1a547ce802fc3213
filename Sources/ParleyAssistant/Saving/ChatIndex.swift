// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON

/// The list of chats, so that showing it reads one file. It can be made again from the chats.
struct ChatIndex: Equatable {
    /// A chat, and the state of its file when the entry was made.
    struct Entry: Equatable {
        var summary: ChatSummary
        var stamp: FileStamp
        /// When the first of its messages was deleted whose content is still there.
        var firstDeletion: Date?
    }

    /// The maximum number of deleted chats that are remembered; the oldest are forgotten first.
    static let mostDeleted = 10_000

    var entries: [UUID: Entry] = [:]
    /// The chats that were deleted, and when.
    var deleted: [UUID: Date] = [:]

    mutating func forgetOldest() {
        guard deleted.count > Self.mostDeleted else { return }
        let newest = deleted.sorted { $0.value > $1.value }.prefix(Self.mostDeleted * 9 / 10)
        deleted = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }

    var summaries: [ChatSummary] { entries.values.map(\.summary).sorted(by: ChatSummary.isBefore) }

    // MARK: - The file

    var json: JSONValue {
        let entries = entries.values.sorted { ChatSummary.isBefore($0.summary, $1.summary) }.map { entry in
            let (chat, stamp) = (entry.summary, entry.stamp)
            var members: JSONObject = [
                "id": .string(chat.id.uuidString), "title": .string(chat.title), "created": Chat.saved(chat.created),
                "changed": Chat.saved(chat.changed), "messages": .integer(chat.messages),
            ]
            if chat.isPinned { members["pinned"] = true }
            if let date = entry.firstDeletion { members["deleted_messages"] = Chat.saved(date) }
            members["file"] = .array([stamp.size, stamp.seconds, stamp.nanoseconds, stamp.number].map { .integer($0) })
            return JSONValue.object(members)
        }
        let deleted = deleted.sorted { ($0.value, $0.key.uuidString) > ($1.value, $1.key.uuidString) }.map {
            JSONValue.object(["id": .string($0.key.uuidString), "date": Chat.saved($0.value)])
        }
        return ["parley_chats": 1, "chats": .array(entries), "deleted": .array(deleted)]
    }

    init() {}

    /// Reads the list; nil if it is damaged or of another version.
    init?(json: JSONValue) {
        guard json["parley_chats"]?.integer == 1, let chats = json["chats"]?.array,
            let deleted = json["deleted"]?.array
        else { return nil }
        for value in chats {
            guard let id = value["id"]?.string.flatMap(UUID.init(uuidString:)), let title = value["title"]?.string,
                let created = Chat.date(value["created"]), let changed = Chat.date(value["changed"]),
                let messages = value["messages"]?.integer, let file = value["file"]?.array?.compactMap(\.integer),
                file.count == 4
            else { return nil }
            let summary = ChatSummary(
                id: id, title: title, created: created, changed: changed, isPinned: value["pinned"]?.bool ?? false,
                messages: messages)
            let stamp = FileStamp(size: file[0], seconds: file[1], nanoseconds: file[2], number: file[3])
            let firstDeletion = Chat.date(value["deleted_messages"])
            entries[id] = Entry(summary: summary, stamp: stamp, firstDeletion: firstDeletion)
        }
        for value in deleted {
            guard let id = value["id"]?.string.flatMap(UUID.init(uuidString:)), let date = Chat.date(value["date"])
            else { return nil }
            self.deleted[id] = date
        }
    }
}
