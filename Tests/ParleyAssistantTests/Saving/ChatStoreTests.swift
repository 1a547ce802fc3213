// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Chats in a folder")
struct ChatStoreTests {
    private let directory: TemporaryDirectory
    private let notices = Notices()

    init() throws { directory = try TemporaryDirectory() }

    private func store(interval: Duration = .zero) -> ChatStore {
        let notices = notices
        return ChatStore(directory: directory.url.appending(path: "sessions"), interval: interval) { notices.add($0) }
    }

    private func path(_ name: String) -> URL { directory.url.appending(path: "sessions/\(name)") }

    @Test("A saved chat is read back as it was, by another store too")
    func roundTrip() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let reply = chat.append(
            ChatMessage(role: .assistant, content: [.text("1")], reasoningContent: "count", rawOutput: "<think>"))
        chat.update(reply) {
            $0.cards = [["kind": "note"]]
            $0.notice = "A notice."
            $0.hasRunActions = true
            var prompt = PromptReport(droppedTurns: 2)
            (prompt.tokens, prompt.digest) = ([0, 1, 127, 128, 70_000, .max, -1], "abc")
            prompt.sampling = SamplingOptions(temperature: 0.3, topK: 40, seed: .max)
            let info = GenerationInfo(
                finishReason: .stop,
                stats: GenerationStats(promptTokens: 7, cachedPromptTokens: 5, completionTokens: 9),
                prompt: prompt)
            $0.receipt = ReplyReceipt(info, options: GenerationOptions(maxTokens: 5, stop: ["x"]), model: "m")
        }
        chat.regenerate(reply)
        chat.pin(true)
        let store = store()
        chat = try await store.save(chat)
        #expect(try await store.chat(chat.id) == chat)
        let last = try #require(chat.current)
        chat.delete(last)
        chat = try await store.save(chat)
        #expect(try await self.store().chat(chat.id) == chat)
        #expect(try await self.store().summaries() == [ChatSummary(chat)])
        #expect(notices.all.isEmpty)
    }

    @Test("All chats are deleted at once, brought back at once, and exported as one file that can be imported")
    func all() async throws {
        let store = store()
        var ids: [UUID] = []
        for number in 1...3 {
            var chat = Chat()
            chat.append(.user("Question \(number)"))
            ids.append(try await store.save(chat).id)
        }
        try Data("{".utf8).write(to: path("\(ids[1].uuidString).json"))
        let exported = try await store.exportAll()
        let imported = try ChatImport.chats(from: exported)
        #expect(Set(imported.map(\.title)) == ["Question 1", "Question 3"])
        #expect(notices.all.count == 1, "the damaged chat is told")
        let deleted = try await store.deleteAll()
        #expect(Set(deleted) == [ids[0], ids[2]])
        #expect(try await store.summaries().isEmpty)
        #expect(store.canRestore(ids[0]) && !store.canRestore(ids[1]) && !store.contains(ids[0]))
        #expect(try await ChatImport.chats(from: self.store().exportAll()).isEmpty)
        try await store.restoreAll(deleted + [UUID()])
        #expect(try await Set(store.summaries().map(\.id)) == Set(deleted))
        #expect(!store.canRestore(ids[0]) && store.contains(ids[0]))
        for _ in 1...2 { #expect(try await store.add(imported).map(\.id) == imported.map(\.id)) }
        #expect(try await self.store().summaries().count == 4)
    }

    @Test("Files are readable by the user alone")
    func permissions() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        chat.append(.assistant(""), state: .waiting)
        let store = store()
        try await store.save(chat)
        for name in ["index.json", "\(chat.id).json", "\(chat.id).journal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let folder = try FileManager.default.attributesOfItem(atPath: path("").path)
        #expect(folder[.posixPermissions] as? Int == 0o700)
    }

    @Test("A reply that is being generated is in the journal, and there when the folder is next used")
    func journal() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let reply = chat.append(.assistant(""), state: .waiting)
        do {
            let store = store()
            store.record(chat)
            for piece in ["Pa", "ris", " i\u{301}s", " \u{301}😀", " it."] {
                chat.update(reply) {
                    $0.message.content = [.text($0.message.text + piece)]
                    $0.message.reasoningContent = ($0.message.reasoningContent ?? "") + "r"
                    $0.state = .streaming
                }
                store.record(try #require(chat[reply]), in: chat.id)
                store.flush()
            }
            // While the reply is generated, another process shows it and does not end it.
            let seen = try #require(try await self.store().chat(chat.id))
            #expect(seen[reply]?.message.text == "Paris i\u{301}s \u{301}😀 it.")
            #expect(seen[reply]?.state == .streaming)
        }
        let read = try #require(try await store().chat(chat.id))
        #expect(read[reply]?.message.text == "Paris i\u{301}s \u{301}😀 it.")
        #expect(read[reply]?.message.reasoningContent == "rrrrr")
        #expect(read[reply]?.state == .interrupted)
        #expect(try directory.listing == ["sessions/\(chat.id).json", "sessions/index.json"])
    }

    @Test("What a reply had when its chat was deleted comes back with the chat, of another process too")
    func deletedMeanwhile() async throws {
        for isOther in [false, true] {
            let writer = store()
            var chat = Chat()
            chat.append(.user("One"))
            let reply = chat.append(.assistant(""), state: .waiting)
            try await writer.save(chat)
            chat.update(reply) {
                $0.message.content = [.text("Paris")]
                $0.state = .streaming
            }
            writer.record(try #require(chat[reply]), in: chat.id)
            writer.flush()
            let store = isOther ? self.store() : writer
            try await store.delete(chat.id)
            #expect(try directory.listing.allSatisfy { !$0.hasSuffix(".journal") })
            let back = try #require(try await store.restore(chat.id))
            #expect(back[reply]?.message.text == "Paris" && back[reply]?.state == .interrupted)
        }
    }

    @Test("A finished reply leaves no journal")
    func finished() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let reply = chat.append(.assistant(""), state: .waiting)
        let store = store()
        try await store.save(chat)
        #expect(try directory.listing.contains("sessions/\(chat.id).journal"))
        chat.update(reply) {
            $0.message.content = [.text("Done.")]
            $0.state = .complete
        }
        try await store.save(chat)
        #expect(try directory.listing == ["sessions/\(chat.id).json", "sessions/index.json"])
        #expect(try await self.store().chat(chat.id)?.path.last?.message.text == "Done.")
    }

    @Test("A late save takes nothing back and never revives a deleted chat")
    func lateSaves() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let early = chat
        chat.append(.assistant("1"))
        chat.rename("Mine")
        let store = store()
        try await store.save(chat)
        let after = try await store.save(early)
        #expect(after.path.map(\.message.text) == ["One", "1"])
        #expect(after.title == "Mine")
        try await store.delete(chat.id)
        await #expect(throws: AssistantError.self) { try await store.save(chat) }
        store.record(chat)
        store.flush()
        #expect(notices.all == [.deletedElsewhere(chat.id)])
        #expect(try await store.summaries().isEmpty)
        #expect(try await self.store().summaries().isEmpty)
    }

    @Test("A chat that another process has deleted is not written again")
    func deletedElsewhere() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let (one, other) = (store(), store())
        try await one.save(chat)
        #expect(try await other.chat(chat.id) != nil)
        try await other.delete(chat.id)
        // Even without the list, which may be damaged.
        try FileManager.default.removeItem(at: path("index.json"))
        chat.append(.user("Two"))
        await #expect(throws: AssistantError.self) { try await one.save(chat) }
        #expect(try await one.chat(chat.id) == nil)
    }

    @Test("What a model has computed of a chat is removed with the chat, and other files stay")
    func caches() async throws {
        let folder = directory.url.appending(path: "caches")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func store() -> ChatStore {
            ChatStore(directory: directory.url.appending(path: "sessions"), caches: folder)
        }
        var chats: [Chat] = []
        for text in ["One", "Two"] {
            var chat = Chat()
            chat.append(.user(text))
            chats.append(try await store().save(chat))
        }
        let gone = UUID()
        for name in [chats[0].id, chats[1].id, gone].map(\.uuidString) + ["mine"] {
            try Data("x".utf8).write(to: folder.appending(path: name))
        }
        var left: Set<String> {
            get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
        }
        let store = store()
        #expect(store.contains(chats[0].id) && !store.contains(gone))
        #expect(try await store.summaries().count == 2)
        #expect(try left == [chats[0].id.uuidString, chats[1].id.uuidString, "mine"])
        try await store.delete(chats[0].id)
        #expect(!store.contains(chats[0].id))
        #expect(try left == [chats[1].id.uuidString, "mine"])
    }

    @Test("Deleting is undone with everything, and what is not brought back stays deleted")
    func undo() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let store = store()
        chat = try await store.save(chat)
        try await store.delete(chat.id)
        #expect(try await store.chat(chat.id) == nil)
        #expect(try await store.restore(chat.id) == chat)
        chat.append(.user("Two"))
        chat = try await store.save(chat)
        #expect(try await self.store().chat(chat.id) == chat)
        #expect(try await store.restore(UUID()) == nil)
    }

    @Test("Deleted messages are gone for good a day later: when their chat is saved, and when the list is read")
    func forgetting() async throws {
        var chat = Chat()
        let old = chat.append(.user("The old secret"))
        let late = chat.append(.assistant("The late secret"))
        chat.append(.user("Go on"))
        chat.delete(old, at: Date(timeIntervalSinceNow: -90_000))
        chat.delete(late)
        chat = try await store().save(chat)
        let file = path("\(chat.id.uuidString).json")
        func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }
        #expect(try !text().contains("old secret") && text().contains("late secret"))
        // A day passes.
        let date = try #require(chat[late]?.deletionDate?.timeIntervalSince1970)
        let deleted = try #require(try JSONValue(parsing: Data(text().utf8))["messages"]?[1]?["parley"]?["deleted_at"])
        #expect(deleted.number == date)
        try Data(try text().replacing("\"deleted_at\":\(deleted.text())", with: "\"deleted_at\":1").utf8).write(
            to: file)
        let store = store()
        let summary = try #require(try await store.summaries().first)
        #expect(try !text().contains("secret") && text().contains("Go on"))
        #expect(summary.changed == chat.changed && summary.messages == 1)
        var back = try #require(try await store.chat(chat.id))
        back.restore(late)
        #expect(back.path.map(\.message.text) == ["Go on"])
        // The chat as it was in the memory of another process does not bring it back.
        chat.append(.user("More"))
        #expect(try await self.store().save(chat)[late]?.message.isEmpty == true)
        #expect(try !text().contains("secret") && text().contains("More"))
    }

    @Test("What the user forgets is gone at once, with what a model has computed of it; deleted chats too")
    func forgettingAtOnce() async throws {
        let caches = directory.url.appending(path: "caches")
        try FileManager.default.createDirectory(at: caches, withIntermediateDirectories: true)
        let store = ChatStore(directory: directory.url.appending(path: "sessions"), caches: caches)
        var chat = Chat()
        let message = chat.append(.user("The secret"))
        chat.append(.user("Go on"))
        chat.delete(message)
        chat = try await store.save(chat)
        let cache = caches.appending(path: chat.id.uuidString)
        try Data("x".utf8).write(to: cache)
        chat.forget([message])
        chat = try await store.save(chat)
        #expect(!FileManager.default.fileExists(atPath: cache.path))
        #expect(try !String(contentsOf: path("\(chat.id.uuidString).json"), encoding: .utf8).contains("secret"))
        var other = Chat()
        other.append(.user("Other"))
        other = try await store.save(other)
        _ = try await store.deleteAll()
        #expect(await store.deletedChats(limit: 1).more == 1)
        try await store.forgetDeleted([chat.id])
        #expect(try await store.restore(chat.id) == nil)
        #expect(await store.deletedChats().chats.map(\.summary.id) == [other.id])
        try await store.restoreAll()
        #expect(try await store.summaries().map(\.id) == [other.id])
        _ = try await store.deleteAll()
        try await store.forgetDeleted()
        #expect(await store.deletedChats().chats.isEmpty)
    }

    @Test("Two processes that write one chat lose nothing of each other")
    func twoWriters() async throws {
        var base = Chat()
        base.append(.user("Base"))
        let (one, other) = (store(), store())
        base = try await one.save(base)
        var (first, second) = (base, try #require(try await other.chat(base.id)))
        for number in 0..<5 {
            // Neither takes over what the other one has written.
            first.append(.user("one \(number)"))
            second.append(.user("other \(number)"))
            try await one.save(first)
            try await other.save(second)
        }
        let all = try #require(try await store().chat(base.id))
        #expect(all.nodes.count == 11)
        #expect(Set(all.nodes.map(\.message.text)).count == 11)
        #expect(notices.all.contains(.merged(base.id)))
    }

    @Test("Recorded chats are written by flush, in their order")
    func flush() async throws {
        let store = store(interval: .seconds(3_600))
        var chats: [Chat] = []
        for number in 0..<5 {
            var chat = Chat()
            chat.append(.user("\(number)"))
            store.record(chat)
            chat.append(.assistant("answer"))
            store.record(chat)
            chats.append(chat)
        }
        store.flush()
        let other = self.store()
        for chat in chats { #expect(try await other.chat(chat.id)?.path.count == 2) }
    }

    @Test("Damaged files are moved aside and told, and the others stay")
    func damaged() async throws {
        var (one, other) = (Chat(), Chat())
        one.append(.user("One"))
        other.append(.user("Other"))
        let first = store()
        try await first.save(one)
        try await first.save(other)
        let bytes = Data(#"{"parley_chat":1,"id":"#.utf8)
        try bytes.write(to: path("\(one.id).json"))
        #expect(try await store().summaries().map(\.title) == ["Other"])
        guard case .damaged(_, let kept)? = notices.all.first else {
            Issue.record("Nothing was told.")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: kept)) == bytes)
        try Data("[]".utf8).write(to: path("index.json"))
        #expect(try await store().summaries().map(\.title) == ["Other"])
        #expect(notices.all.contains(.indexRebuilt))
    }

    @Test("The history of an earlier version is taken over once, and stays beside its new name")
    func migration() async throws {
        let legacy = directory.url.appending(path: "chat_history.json")
        let bytes = Data(#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]"#.utf8)
        try bytes.write(to: legacy)
        let store = store()
        let id = try #require(try await store.migrate(legacy))
        #expect(try await store.chat(id)?.path.map(\.message.text) == ["Hi", "Hello"])
        #expect(try Data(contentsOf: legacy.appendingPathExtension("migrated")) == bytes)
        #expect(try await store.migrate(legacy) == nil)
        // As if the process had ended before the file was renamed; and after the user has deleted the chat.
        try bytes.write(to: legacy)
        #expect(try await self.store().migrate(legacy) == id)
        #expect(try await store.summaries().count == 1)
        try await store.delete(id)
        try bytes.write(to: legacy)
        #expect(try await self.store().migrate(legacy) == id)
        #expect(try await store.summaries().isEmpty)
        try Data("[{".utf8).write(to: legacy)
        await #expect(throws: AssistantError.self) { try await store.migrate(legacy) }
        #expect(FileManager.default.fileExists(atPath: legacy.path))
    }

    @Test("A chat that a later Parley has written is left alone")
    func laterVersion() async throws {
        let id = UUID()
        _ = try await store().summaries()
        let text = #"{"parley_chat":2,"id":"\#(id)","messages":[]}"#
        try Data(text.utf8).write(to: path("\(id).json"))
        let store = store()
        #expect(try await store.summaries().isEmpty)
        await #expect(throws: AssistantError.self) { try await store.chat(id) }
        #expect(try String(contentsOf: path("\(id).json"), encoding: .utf8) == text)
        #expect(notices.all.filter { if case .damaged = $0 { true } else { false } }.isEmpty)
    }
}

/// What stores have told, in order.
final class Notices: Sendable {
    private let list = Mutex<[ChatNotice]>([])

    var all: [ChatNotice] { list.withLock { $0 } }

    func add(_ notice: ChatNotice) { list.withLock { $0.append(notice) } }
}
