// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("What was deleted or is not in the page", .timeLimit(.minutes(15)))
struct DeletedTests {
    @Test("Deleted messages are listed, the latest first, and come back.")
    func messages() async throws {
        try await PageTrial.with(["Five miles."]) { trial in
            let chat = try await trial.newChat()
            try await trial.wish("send", ["chat": .string(chat), "text": "How far?"])
            try await trial.wait(for: "Five miles.", in: chat)
            func shown() async throws -> [JSONValue] {
                try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array ?? []
            }
            let ids = try await shown().compactMap { $0["id"] }
            for id in ids { try await trial.wish("delete", ["chat": .string(chat), "message": id]) }
            #expect(try await shown().isEmpty)
            let deleted = try await trial.wish("deletedMessages", ["chat": .string(chat)])["messages"]?.array
            #expect(deleted?.map { $0["text"] } == ["Five miles.", "How far?"])
            #expect(deleted?.map { $0["author"] } == ["assistant", "user"])
            for id in ids { try await trial.wish("restore", ["chat": .string(chat), "message": id]) }
            #expect(try await shown().compactMap { $0["id"] } == ids)
            #expect(try await trial.wish("deletedMessages", ["chat": .string(chat)])["messages"] == [])
            // What is forgotten does not come back.
            for id in ids { try await trial.wish("delete", ["chat": .string(chat), "message": id]) }
            try await trial.wish("forgetMessages", ["chat": .string(chat), "messages": [ids[0]]])
            let left = try await trial.wish("deletedMessages", ["chat": .string(chat)])
            #expect(left["messages"]?.array?.map { $0["text"] } == ["Five miles."] && left["more"] == 0)
            for id in ids { try await trial.wish("restore", ["chat": .string(chat), "message": id]) }
            #expect(try await shown().compactMap { $0["text"]?.string } == ["Five miles."])
        }
    }

    @Test("Deleted chats are listed as long as they can be restored, each with its title.")
    func chats() async throws {
        try await PageTrial.with(["x"]) { trial in
            let store = ChatStore(directory: trial.folder.appending(path: "sessions"))
            for number in 0..<3 {
                var chat = Chat()
                chat.append(ChatMessage(role: .user, content: [.text("Question \(number)")]))
                _ = try await store.save(chat)
            }
            _ = try await trial.wish("deleteAll")
            let deleted = try #require(try await trial.wish("deletedChats")["chats"]?.array)
            #expect(Set(deleted.compactMap { $0["title"]?.string }) == ["Question 0", "Question 1", "Question 2"])
            try await trial.wish("restoreAll", ["chats": [deleted[0]["id"] ?? .null]])
            #expect(try await trial.wish("deletedChats")["chats"]?.array?.count == 2)
            #expect(try await trial.read("state")["chats"]?.array?.count == 1)
            try await trial.wish("forgetChats", ["chats": [deleted[1]["id"] ?? .null]])
            #expect(try await trial.wish("deletedChats")["chats"]?.array?.count == 1)
            // Only what leaves the list out means all.
            await #expect(throws: ServerError.self) { try await trial.wish("forgetChats", ["chats": "x"]) }
            #expect(try await trial.wish("deletedChats")["chats"]?.array?.count == 1)
            try await trial.wish("restoreAll")
            #expect(try await trial.read("state")["chats"]?.array?.count == 2)
            #expect(try await trial.wish("deletedChats")["chats"] == [])
        }
    }

    @Test("Words are counted in every message of the branch, also in those that the page does not have.")
    func finding() async throws {
        try await PageTrial.with(["x"]) { trial in
            var chat = Chat()
            for number in 0..<250 {
                var text = number % 100 == 3 ? "A river. A RIVER?" : "\(number)"
                if number == 5 { text = "Un cafe\u{301}, un CAFÉ, Straße" }
                chat.append(
                    ChatMessage(role: number.isMultiple(of: 2) ? .user : .assistant, content: [.text(text)]))
            }
            _ = try await ChatStore(directory: trial.folder.appending(path: "sessions")).save(chat)
            func find(_ words: String) async throws -> [JSONValue] {
                let members: JSONObject = ["chat": .string(chat.id.uuidString), "query": .string(words)]
                return try await trial.wish("findInChat", members)["hits"]?.array ?? []
            }
            let hits = try await find(" River ")
            #expect(hits.map { $0["count"] } == [2, 2, 2])
            #expect(hits.first?["message"]?.string == chat.nodes[3].id.uuidString)
            #expect(try await find("Café").map { $0["count"] } == [2])
            #expect(try await find("cafe").map { $0["count"] } == [2])
            #expect(try await find("STRASSE").map { $0["count"] } == [1])
            #expect(try await find("no such word").isEmpty)
            #expect(try await find("  ").isEmpty)
        }
    }
}
