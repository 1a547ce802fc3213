// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport
import Testing

@Suite("Chats in a folder that cannot be looked at")
struct ChatStoreFaultTests {
    private let directory: TemporaryDirectory
    private let notices = Notices()

    init() throws { directory = try TemporaryDirectory() }

    private func store() -> ChatStore {
        let notices = notices
        return ChatStore(directory: directory.url.appending(path: "sessions"), interval: .zero) { notices.add($0) }
    }

    private func path(_ name: String) -> URL { directory.url.appending(path: "sessions/\(name)") }

    /// A chat whose file is elsewhere, and in whose place is a link that leads to itself: the system does not say
    /// whether there is a file, but it is not true that there is none.
    private func hidden() async throws -> (chat: Chat, file: URL, kept: URL) {
        var chat = Chat()
        chat.append(.user("One"))
        chat = try await store().save(chat)
        let (file, kept) = (path("\(chat.id).json"), directory.url.appending(path: "kept"))
        try FileManager.default.moveItem(at: file, to: kept)
        #expect(symlink(file.path, file.path) == 0)
        return (chat, file, kept)
    }

    private func uncover(_ file: URL, _ kept: URL) throws {
        #expect(unlink(file.path) == 0)
        try FileManager.default.moveItem(at: kept, to: file)
    }

    @Test("A chat that cannot be looked at is not taken for deleted when it is saved")
    func saving() async throws {
        var (chat, file, kept) = try await hidden()
        chat.append(.user("Two"))
        let store = store()
        let error = await #expect(throws: AssistantError.self) { try await store.save(chat) }
        #expect(error?.code == .storeUnavailable)
        store.record(chat)
        store.flush()
        #expect(!notices.all.contains(.deletedElsewhere(chat.id)))
        try uncover(file, kept)
        #expect(try await store.save(chat).path.count == 2)
    }

    @Test("A chat that cannot be looked at is not marked as deleted when it is deleted")
    func deleting() async throws {
        let (chat, file, kept) = try await hidden()
        let error = await #expect(throws: AssistantError.self) { try await store().delete(chat.id) }
        #expect(error?.code == .storeUnavailable)
        let list = try String(contentsOf: path("index.json"), encoding: .utf8)
        #expect(list.contains(#""deleted":[]"#) && list.contains(chat.id.uuidString))
        try uncover(file, kept)
        #expect(try await store().chat(chat.id) == chat)
    }

    @Test("A chat that cannot be looked at hides no other, keeps its place in the list, and is told once")
    func listing() async throws {
        let (chat, file, kept) = try await hidden()
        var other = Chat()
        other.append(.user("Two"))
        let store = store()
        try await store.save(other)
        for _ in 1...2 { #expect(try await Set(store.summaries().map(\.title)) == ["One", "Two"]) }
        #expect(notices.all.count == 1)
        let remark = notices.all.first?.remark ?? ""
        #expect(remark.hasPrefix("The chat \(chat.id.uuidString.prefix(8)) cannot be read. "))
        #expect(try await store.chat(other.id) != nil)
        #expect(try await store.search("two").map(\.chat) == [other.id, other.id])
        await #expect(throws: AssistantError.self) { try await store.chat(chat.id) }
        try uncover(file, kept)
        #expect(try await store.chat(chat.id) == chat)
    }

    @Test("On a full disk chats are listed and read, and what a reply had is put into its chat when there is room")
    func fullDisk() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let reply = chat.append(.assistant(""), state: .waiting)
        do {
            let store = store()
            try await store.save(chat)
            chat.update(reply) { ($0.message.content, $0.state) = ([.text("Paris")], .streaming) }
            store.record(try #require(chat[reply]), in: chat.id)
            store.flush()
        }
        let folder = path("").path
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            try limitFileSize(to: 0)
            let store = ChatStore(directory: URL(filePath: folder))
            let summary = try #require(try await store.summaries().first)
            #expect(summary.title == "One")
            #expect(try await store.chat(summary.id)?.path.last?.message.text == "Paris")
            let error = await #expect(throws: AssistantError.self) { try await store.save(Chat()) }
            #expect(error?.code == .storeUnavailable)
        }
        let read = try #require(try await store().chat(chat.id))
        #expect(read[reply]?.message.text == "Paris" && read[reply]?.state == .interrupted)
    }

    @Test("What a full disk cuts off of a reply's journal does not hide what is added when there is room")
    func cutJournal() async throws {
        let folder = path("").path
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            var chat = Chat()
            chat.append(.user("One"))
            let reply = chat.append(.assistant(""), state: .waiting)
            let store = ChatStore(directory: URL(filePath: folder), interval: .zero)
            try await store.save(chat)
            try limitFileSize(to: 8_192)
            for text in [String(repeating: "x", count: 10_000), "Paris"] {
                chat.update(reply) { ($0.message.content, $0.state) = ([.text(text)], .streaming) }
                store.record(try #require(chat[reply]), in: chat.id)
                store.flush()
            }
        }
        let store = store()
        let summary = try #require(try await store.summaries().first)
        #expect(try await store.chat(summary.id)?.path.last?.message.text == "Paris")
    }

    @Test("A chat is saved where there is room for it and none for the list")
    func noRoomForList() async throws {
        let folder = path("").path
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            let store = ChatStore(directory: URL(filePath: folder))
            func save(_ text: String) async throws {
                var chat = Chat()
                chat.append(.user(text))
                try await store.save(chat)
            }
            for number in 1...40 { try await save("Chat \(number)") }
            try limitFileSize(to: 4_096)
            try await save("The last")
            #expect(try await store.summaries().count == 41)
        }
    }

    @Test("A deleted chat that cannot be removed is not said to be gone")
    func forgetting() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let id = chat.id
        let store = store()
        try await store.save(chat)
        try await store.delete(id)
        // What is there in its place now cannot be removed as a file can.
        try FileManager.default.removeItem(at: path("deleted/\(id).json"))
        try FileManager.default.createDirectory(
            at: path("deleted/\(id).json/x"), withIntermediateDirectories: true)
        let error = await #expect(throws: AssistantError.self) { try await store.forgetDeleted([id]) }
        #expect(error?.code == .storeUnavailable)
    }

    @Test("A deleted chat does not take the place of one that cannot be looked at")
    func restoring() async throws {
        let (chat, file, kept) = try await hidden()
        try FileManager.default.copyItem(at: kept, to: path("deleted/\(chat.id).json"))
        let error = await #expect(throws: AssistantError.self) { try await store().restore(chat.id) }
        #expect(error?.code == .storeUnavailable)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == file.path)
        // Nor that of a link that leads nowhere: only a free name is taken.
        #expect(unlink(file.path) == 0)
        #expect(symlink("nowhere", file.path) == 0)
        await #expect(throws: AssistantError.self) { try await store().restore(chat.id) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "nowhere")
    }

    @Test("Deleting a chat of which there is a deleted copy already keeps both")
    func twoDeleted() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        let store = store()
        chat = try await store.save(chat)
        let earlier = Data("earlier".utf8)
        try earlier.write(to: path("deleted/\(chat.id).json"))
        try await store.delete(chat.id)
        let names = try FileManager.default.contentsOfDirectory(atPath: path("deleted").path)
        #expect(names.count == 2)
        let contents = try names.map { try Data(contentsOf: path("deleted/\($0)")) }
        #expect(contents.contains(earlier))
        #expect(try await store.restore(chat.id) == chat)
    }

    @Test("A list that cannot be looked at is not made anew")
    func hiddenList() async throws {
        var chat = Chat()
        chat.append(.user("One"))
        try await store().save(chat)
        let list = path("index.json")
        #expect(unlink(list.path) == 0)
        #expect(symlink(list.path, list.path) == 0)
        await #expect(throws: AssistantError.self) { try await store().summaries() }
        await #expect(throws: AssistantError.self) { try await store().save(chat) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: list.path) == list.path)
    }

    @Test("Two histories of earlier versions are both kept beside their new names")
    func twoMigrated() async throws {
        let legacy = directory.url.appending(path: "chat_history.json")
        let store = store()
        let texts = ["Hi", "Hello", "Hello"].map { #"[{"role":"user","content":"\#($0)"}]"# }
        for text in texts {
            try Data(text.utf8).write(to: legacy)
            #expect(try await store.migrate(legacy) != nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            .filter { $0.hasPrefix("chat_history") }
        let kept = try names.map { try String(contentsOf: directory.url.appending(path: $0), encoding: .utf8) }
        #expect(Set(kept) == Set(texts))
        #expect(try await store.summaries().count == 2)
    }
}
