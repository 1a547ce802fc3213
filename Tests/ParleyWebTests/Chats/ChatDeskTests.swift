// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyFiles
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("The chats of the page", .timeLimit(.minutes(15)))
struct ChatDeskTests {
    @Test("Chats are listed, found, deleted and brought back; a second server over the folder shows them too.")
    func chats() async throws {
        try await PageTrial.with(["The weather is fine."]) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "Tell me"])
            _ = try await events.untilDone()
            let hits = try await trial.wish("search", ["query": "weather"])["hits"]
            #expect(hits?.array?.count == 1)
            #expect(hits?[0]?["chat"] == .string(chat))
            let again = try await PageTrial(ScriptedRunner(replies: ["x"]), folder: trial.folder)
            #expect(try await again.read("state")["chat"]?["messages"]?.array?.count == 2)
            try await trial.wish("deleteChat", ["chat": .string(chat)])
            #expect(try await trial.read("state")["chats"] == [])
            await #expect(throws: ServerError.self) { try await trial.read("state", ["chat": chat]) }
            try await trial.wish("restoreChat", ["chat": .string(chat)])
            #expect(try await trial.read("state", ["chat": chat])["chats"]?.array?.count == 1)
        }
    }

    @Test("All chats are exported, deleted and brought back, or imported elsewhere.")
    func everything() async throws {
        try await PageTrial.with(["The weather is fine."]) { trial in
            for number in 0..<3 {
                var chat = Chat()
                chat.append(ChatMessage(role: .user, content: [.text("Question \(number)")]))
                _ = try await ChatStore(directory: trial.folder.appending(path: "sessions")).save(chat)
            }
            let file = try await trial.page.answer(PageRequest(kind: .read, path: "export", query: ["all": "1"]))
            guard case .bytes(let bytes, _, _) = file else { return #expect(Bool(false)) }
            let deleted = try #require(try await trial.wish("deleteAll")["chats"])
            #expect(deleted.array?.count == 3)
            #expect(try await trial.read("state")["chats"] == [])
            try await trial.wish("restoreAll", ["chats": deleted])
            #expect(try await trial.read("state")["chats"]?.array?.count == 3)
            try await PageTrial.with(["x"]) { other in
                let answer = try await other.page.answer(PageRequest(kind: .write, path: "import", body: { bytes }))
                guard case .bytes(let told, _, _) = answer else { return #expect(Bool(false)) }
                #expect(try JSONValue(parsing: Data(told))["chats"] == 3)
                #expect(try await other.read("state")["chats"]?.array?.count == 3)
            }
        }
    }

    @Test("The chats of a file come in once, also from two tabs at once; what was deleted comes back with it.")
    func importedTwice() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let file = Array(#"[{"role":"user","content":"How far?"},{"role":"assistant","content":"Far."}]"#.utf8)
            @Sendable func told() async throws -> JSONValue? {
                let request = PageRequest(kind: .write, path: "import", body: { file })
                guard case .bytes(let bytes, _, _) = try await trial.page.answer(request) else { return nil }
                return try JSONValue(parsing: Data(bytes))
            }
            async let first = told()
            async let second = told()
            _ = try await (first, second)
            #expect(try await trial.read("state")["chats"]?.array?.count == 1)
            #expect(try await told() == ["chats": 0, "known": 1])
            let chat = try #require(try await trial.read("state")["chats"]?[0]?["id"])
            try await trial.wish("deleteChat", ["chat": chat])
            #expect(try await told() == ["chats": 1, "known": 0])
            try await trial.wish("deleteChat", ["chat": chat])
            try await trial.wish("forgetChats")
            #expect(try await told() == ["chats": 1, "known": 0])
            #expect(try await told() == ["chats": 0, "known": 1])
            #expect(try await trial.read("state")["chats"]?.array?.count == 1)
        }
    }

    @Test("A chat that is deleted in one tab while another one opens it is closed in both.")
    func deletedWhileOpened() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let sessions = trial.folder.appending(path: "sessions")
            var chat = Chat()
            chat.append(ChatMessage(role: .user, content: [.text("How far?")]))
            let id = try await ChatStore(directory: sessions).save(chat).id.uuidString
            // The store looks for this folder first, and then waits for the lock until both tabs have asked.
            let deleted = sessions.appending(path: "deleted")
            try FileManager.default.removeItem(at: deleted)
            var lock = try FileLock.take(.exclusive, at: sessions.appending(path: ".lock"))
            #expect(lock != nil)
            let opening = Task { try? await trial.read("state", ["chat": id]) }
            while !FileManager.default.fileExists(atPath: deleted.path) {
                try Task.checkCancellation()
                await Task.yield()
            }
            let asked = Gate()
            let wish = JSONValue.object(["id": "1", "type": "deleteChat", "chat": .string(id)])
            let deleting = Task {
                let request = PageRequest(
                    kind: .write, path: "intents", key: trial.key,
                    body: {
                        asked.open()
                        return Array(wish.text().utf8)
                    })
                _ = try await trial.page.answer(request)
            }
            try await asked.wait()
            for _ in 0..<10 { await MainActor.run {} }
            withExtendedLifetime(lock) {}
            lock = nil
            _ = await opening.value
            try await deleting.value
            await #expect(throws: ServerError.self) { try await trial.read("state", ["chat": id]) }
        }
    }

    @Test("A branch is a chat of its own with all up to a message; the chat it comes from stays as it is.")
    func branches() async throws {
        try await PageTrial.with([ScriptedReply("One."), ScriptedReply("Two."), ScriptedReply("Three.")]) { trial in
            let chat = try await trial.newChat()
            for text in ["First", "Second"] {
                let events = try await trial.events(chat, since: try await trial.place(chat))
                try await trial.wish("send", ["chat": .string(chat), "text": .string(text)])
                _ = try await events.untilDone()
            }
            func texts(_ chat: String) async throws -> [String?] {
                try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.map { $0["text"]?.string }
                    ?? []
            }
            let reply = try await trial.read("state", ["chat": chat])["chat"]?["messages"]?[1]?["id"]
            let branch = try #require(
                try await trial.wish("branch", ["chat": .string(chat), "message": reply ?? .null])["chat"]?.string)
            #expect(branch != chat)
            #expect(try await texts(branch) == ["First", "One."])
            let events = try await trial.events(branch, since: try await trial.place(branch))
            try await trial.wish("send", ["chat": .string(branch), "text": "Elsewhere"])
            _ = try await events.untilDone()
            #expect(try await texts(branch) == ["First", "One.", "Elsewhere", "Three."])
            #expect(try await texts(chat) == ["First", "One.", "Second", "Two."])
            await #expect(throws: ServerError.self) {
                try await trial.wish("branch", ["chat": .string(chat), "message": .string(UUID().uuidString)])
            }
        }
    }

    @Test("A prompt that is pinned in one chat is pinned in all, and none gets lost.")
    func pinnedPrompts() async throws {
        try await PageTrial.with([ScriptedReply("One."), ScriptedReply("Two.")]) { trial in
            var chats: [String] = []
            for text in ["First", "Second"] {
                let chat = try await trial.newChat()
                let events = try await trial.events(chat, since: try await trial.place(chat))
                try await trial.wish("send", ["chat": .string(chat), "text": .string(text)])
                _ = try await events.untilDone()
                chats.append(chat)
            }
            for (chat, text) in zip(chats, ["A", "B"]) {
                try await trial.wish("pinPrompt", ["chat": .string(chat), "text": .string(text)])
            }
            for chat in chats {
                let status = try await trial.read("state", ["chat": chat])["chat"]?["status"]
                #expect(status?["pinned_prompts"] == ["A", "B"])
            }
        }
    }

    @Test("What another program writes to a chat is shown when the chat is next looked at or written to, in its order.")
    func otherProgram() async throws {
        try await PageTrial.with(["Five miles.", "Six miles."]) { trial in
            let chat = try await trial.newChat()
            try await trial.wish("send", ["chat": .string(chat), "text": "How far?"])
            try await trial.wait(for: "Five miles.", in: chat)
            let store = ChatStore(directory: trial.folder.appending(path: "sessions"))
            func goOn(_ words: String...) async throws {
                let id = try #require(UUID(uuidString: chat))
                var other = try #require(try await store.chat(id))
                for (index, text) in words.enumerated() {
                    let role: ChatMessageRole = index.isMultiple(of: 2) ? .user : .assistant
                    other.append(ChatMessage(role: role, content: [.text(text)]))
                }
                _ = try await store.save(other)
            }
            func shown() async throws -> [String] {
                let state = try await trial.read("state", ["chat": chat])
                return state["chat"]?["messages"]?.array?.compactMap { $0["text"]?.string } ?? []
            }
            try await goOn("In a terminal", "Far.")
            try await trial.wait(for: "Far.", in: chat)
            #expect(try await shown() == ["How far?", "Five miles.", "In a terminal", "Far."])
            try await goOn("And again", "Near.")
            try await trial.wish("send", ["chat": .string(chat), "text": "Here"])
            try await trial.wait(for: "Six miles.", in: chat)
            #expect(try await shown().suffix(4) == ["And again", "Near.", "Here", "Six miles."])
            #expect(try await store.summaries().map(\.messages) == [8])
        }
    }
}
