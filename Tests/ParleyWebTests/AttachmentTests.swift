// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("What is attached in the page", .timeLimit(.minutes(15)))
struct AttachmentTests {
    /// A PNG of one pixel.
    private static let picture =
        Array(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
            ) ?? Data())

    private static func bytes(_ trial: PageTrial, _ address: String) async throws -> [UInt8]? {
        let path = String(address.dropFirst("/app/v1/".count))
        guard case .bytes(let bytes, let type, _) = try await trial.page.answer(PageRequest(kind: .read, path: path))
        else { return nil }
        #expect(type == "application/octet-stream")
        return bytes
    }

    @Test("What is uploaded stays attached for every page until it is sent or taken away, with its tokens.")
    func pending() async throws {
        try await PageTrial.with(["Read."]) { trial in
            let chat = try await trial.newChat()
            func attached() async throws -> [JSONValue] {
                try await trial.read("state", ["chat": chat])["chat"]?["status"]?["attachments"]?.array ?? []
            }
            let text = Array("The code word is heron.".utf8)
            let one = try #require(try await trial.attach(text, "one.txt", chat)["attachment"])
            _ = try await trial.attach(Array("Other words".utf8), "two.txt", chat)
            #expect(try await attached().map { $0["name"] } == ["one.txt", "two.txt"])
            #expect(try await attached().first == one)
            // The five words, and what is said about the document.
            #expect(one["tokens"]?.integer ?? 0 > 5)
            try await trial.wish("detach", ["chat": .string(chat), "attachment": one["id"] ?? .null])
            #expect(try await attached().map { $0["name"] } == ["two.txt"])
            let ids = try await attached().compactMap { $0["id"] }
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish(
                "send", ["chat": .string(chat), "text": "What is it?", "attachments": .array(ids)])
            _ = try await events.until { $0.data["status"]?["attachments"] == [] }
            try await trial.wait(for: "Read.", in: chat)
        }
    }

    @Test("A sent document and image have an id, an address, a size and their bytes, also in a new server.")
    func sent() async throws {
        let runner = ScriptedRunner(replies: ["Seen."])
        try await PageTrial.with(runner) { trial in
            let chat = try #require(UUID(uuidString: try await trial.newChat()))
            let text = Array("Words".utf8)
            let document = try #require(try await trial.attach(text, "a.txt", chat.uuidString)["attachment"]?["id"])
            try await trial.wish(
                "send", ["chat": .string(chat.uuidString), "text": "Look", "attachments": [document]])
            try await trial.wait(for: "Seen.", in: chat.uuidString)
            // An image that was attached in a terminal is in the chat alone.
            let store = ChatStore(directory: trial.folder.appending(path: "sessions"))
            var kept = try #require(try await store.chat(chat))
            kept.append(ChatMessage(role: .user, content: [.image(Data(Self.picture)), .text("And this?")]))
            _ = try await store.save(kept)
            let again = try await PageTrial(runner, folder: trial.folder)
            let messages = try await again.read("state", ["chat": chat.uuidString])["chat"]?["messages"]?.array ?? []
            let first = try #require(messages.first?["attachments"]?[0])
            #expect(first["name"] == "a.txt" && first["kind"] == "document" && first["size"] == 5)
            #expect(first["id"] == document)
            #expect(try await Self.bytes(again, first["url"]?.string ?? "") == text)
            let image = try #require(messages.last?["attachments"]?[0])
            #expect(image["kind"] == "image" && image["size"] == .integer(Self.picture.count))
            #expect(try await Self.bytes(again, image["url"]?.string ?? "") == Self.picture)
            await #expect(throws: ServerError.self) {
                try await again.read("attachments/\(chat.uuidString)-0000000000000000")
            }
        }
    }

    @Test("What is taken away again stays where a message has it too.")
    func shared() async throws {
        try await PageTrial.with(["One.", "Two."]) { trial in
            let chat = try await trial.newChat()
            let text = Array("Words".utf8)
            let id = try #require(try await trial.attach(text, "a.txt", chat)["attachment"]?["id"])
            try await trial.wish("send", ["chat": .string(chat), "text": "Look", "attachments": [id]])
            try await trial.wait(for: "One.", in: chat)
            #expect(try await trial.attach(text, "a.txt", chat)["attachment"]?["id"] == id)
            try await trial.wish("detach", ["chat": .string(chat), "attachment": id])
            #expect(try await Self.bytes(trial, "/app/v1/attachments/\(id.string ?? "")") == text)
        }
    }

    @Test("An image for which no model is here comes back with its words, and both can be taken back.")
    func unsent() async throws {
        try await PageTrial.with(["Never."]) { trial in
            let chat = try await trial.newChat()
            let id = try #require(try await trial.attach(Self.picture, "a.png", chat)["attachment"]?["id"])
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "What is it?", "attachments": [id]])
            // The words and what belongs to them may come back in two events.
            _ = try await events.until {
                let status = $0.data["status"]
                return status?["unsent"]?["text"] == "What is it?" && status?["attachments"]?[0]?["id"] == id
            }
            #expect(try await trial.wish("recall", ["chat": .string(chat)])["text"] == "What is it?")
            let status = try await trial.read("state", ["chat": chat])["chat"]?["status"]
            #expect(status?["attachments"]?.array?.count == 1)
            #expect(trial.runner.requests.isEmpty)
        }
    }

    @Test("A file is uploaded, read with the message and downloaded as it was; what cannot be read is refused.")
    func attachments() async throws {
        try await PageTrial.with(ScriptedRunner(replies: ["Read."])) { trial in
            let chat = try await trial.newChat()
            let text = Array("The code word is heron.".utf8)
            let kept = try await trial.attach(text, "../words.txt", chat)["attachment"]
            #expect(kept?["name"] == "words.txt" && kept?["size"] == .integer(text.count))
            let id = try #require(kept?["id"]?.string)
            let file = try await trial.page.answer(PageRequest(kind: .read, path: "attachments/\(id)"))
            guard case .bytes(let bytes, let type, let fields) = file else { return #expect(Bool(false)) }
            #expect(bytes == text && type == "application/octet-stream")
            #expect(fields[.contentDisposition]?.hasPrefix("attachment") == true)
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish(
                "send", ["chat": .string(chat), "text": "What is it?", "attachments": [.string(id)]])
            _ = try await events.untilDone()
            let prompt = trial.runner.requests.last?.messages.map(\.text).joined() ?? ""
            #expect(prompt.contains("heron"))
            let shown = try await trial.read("state", ["chat": chat])["chat"]?["messages"]?[0]
            #expect(shown?["attachments"]?[0]?["name"] == "words.txt")
            await #expect(throws: ServerError.self) { try await trial.attach([0, 1, 2, 0], "a.bin", chat) }
            await #expect(throws: ServerError.self) { try await trial.attach(text, "a.txt", "no-chat") }
            for id in ["x", "../../settings.json", "\(chat)-0000000000000000"] {
                await #expect(throws: ServerError.self) {
                    try await trial.wish(
                        "send", ["chat": .string(chat), "text": "b", "attachments": [.string(id)]])
                }
                await #expect(throws: ServerError.self) { try await trial.read("attachments/\(id)") }
            }
        }
    }
}
