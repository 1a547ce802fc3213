// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleySystem
import ParleyTesting
import ParleyWeb
import Testing

@Suite("The web chat", .timeLimit(.minutes(15)))
struct WebPageTests {
    private static let text = """
        # Title

        A **bold** word and [a link](https://example.org/a?b=c "t").

        ```swift
        let a = 1
        ```

        - one
        - two
          1. three

        | a | b |
        |---|:-:|
        | 1 | 2 |

        The end.
        """

    /// What the page would show after events, beginning with nothing.
    private static func played(_ events: [EventReader.Event]) -> [String: JSONValue] {
        var messages: [String: JSONValue] = [:]
        for event in events {
            switch event.type {
            case "message.added", "message.updated":
                guard let message = event.data["message"], let id = message["id"]?.string else { continue }
                messages[id] = message
            case "message.delta":
                guard let id = event.data["id"]?.string, let part = event.data["part"]?.string,
                    let from = event.data["from"]?.integer, let blocks = event.data["blocks"]?.array,
                    var message = messages[id], let known = message[part]?.array
                else { continue }
                message[part] = .array(Array(known.prefix(from)) + blocks)
                messages[id] = message
            case "message.removed": messages[event.data["id"]?.string ?? ""] = nil
            default: break
            }
        }
        return messages
    }

    private static func isDone(_ event: EventReader.Event) -> Bool {
        event.type == "chat.updated" && event.data["status"]?["is_generating"] == false
            && event.data["title"] != ""
    }

    @Test("A wish of more values than any needs is refused.")
    func largeWish() async throws {
        try await PageTrial.with([]) { trial in
            let list = JSONValue.array(Array(repeating: .integer(1), count: 1 << 16))
            let error = await #expect(throws: ServerError.self) { try await trial.wish("send", ["list": list]) }
            #expect(error?.json["error"]?["code"] == "invalid_json")
        }
    }

    @Test("However a reply is cut, what was told piece by piece is what a page sees that comes afterwards.")
    func cuts() async throws {
        for cuts in [TokenCuts.every(1), .every(7), .words] {
            try await PageTrial.with([ScriptedReply("<think>Hm. *So.*</think>" + Self.text, cuts: cuts)]) { trial in
                let chat = try await trial.newChat()
                try await trial.wish(
                    "set", ["chat": .string(chat), "name": "thinking_enabled", "value": true])
                let place = try await trial.place(chat)
                let events = try await trial.events(chat, since: place)
                try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
                let all = try await events.until(Self.isDone)
                let state = try await trial.read("state", ["chat": chat])
                let shown = state["chat"]?["messages"]?.array ?? []
                #expect(shown.count == 2)
                #expect(shown.last?["blocks"]?.array?.count == 6)
                #expect(shown.last?["thinking"]?.array?.count == 1)
                let played = Self.played(all)
                for message in shown { #expect(played[message["id"]?.string ?? ""] == message) }
            }
        }
    }

    @Test("A page that comes back at any place has the same as one that never went.")
    func resuming() async throws {
        try await PageTrial.with([ScriptedReply(Self.text, cuts: .every(5))]) { trial in
            let chat = try await trial.newChat()
            let place = try await trial.place(chat)
            let events = try await trial.events(chat, since: place)
            try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
            let all = try await events.until(Self.isDone)
            for index in all.indices.dropLast() {
                let rest = try await trial.events(chat, since: all[index].id).until { $0.id == all.last?.id }
                #expect(rest.map(\.data) == all[(index + 1)...].map(\.data))
            }
        }
    }

    @Test(
        "Images are links that say what they show; within a link they are words, for links do not lie in each other.",
        arguments: [
            ("![a *chart*](https://a.example/c.png)", ["image", "a chart"]),
            ("![](https://a.example/c.png)", ["image", "https://a.example/c.png"]),
            ("![a chart](c.png)", ["text", "a chart"]),
            ("[![build](https://a.example/b.svg)](https://b.example/)", ["link", "build"]),
            ("[![](https://a.example/b.svg)](https://b.example/)", ["link", "https://b.example/"]),
        ])
    func images(markdown: String, expected: [String]) async throws {
        try await PageTrial.with([ScriptedReply(markdown)]) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "Go on"])
            let messages = Self.played(try await events.until(Self.isDone))
            let reply = try #require(messages.values.first { $0["author"] == "assistant" })
            let inline = try #require(reply["blocks"]?[0]?["inlines"]?[0])
            let words = inline["text"]?.string ?? inline["inlines"]?[0]?["text"]?.string
            #expect([inline["kind"]?.string, words] == expected)
        }
    }

    @Test("A branch is a chat of its own with all up to a message; the chat it comes from stays as it is.")
    func branches() async throws {
        try await PageTrial.with([ScriptedReply("One."), ScriptedReply("Two."), ScriptedReply("Three.")]) { trial in
            let chat = try await trial.newChat()
            for text in ["First", "Second"] {
                let events = try await trial.events(chat, since: try await trial.place(chat))
                try await trial.wish("send", ["chat": .string(chat), "text": .string(text)])
                _ = try await events.until(Self.isDone)
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
            _ = try await events.until(Self.isDone)
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
                _ = try await events.until(Self.isDone)
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

    @Test("A place of another run, or of the future, is told to begin anew; a chat that is deleted is told so.")
    func reset() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let chat = try await trial.newChat()
            let place = try await trial.place(chat)
            let epoch = place.split(separator: ".")[0]
            for since in ["other.1", "\(epoch).999999"] {
                #expect(try await trial.events(chat, since: since).next()?.type == "reset")
            }
            // Whatever else has happened since a reader was told something, it hears that the chat is gone.
            let reader = try await trial.events(chat, since: place)
            try await trial.wish("rename", ["chat": .string(chat), "title": "Soon gone"])
            try await trial.wish("deleteChat", ["chat": .string(chat)])
            let events = try await reader.until { $0.type == "chat.removed" || $0.type == "reset" }
            #expect(events.last?.type == "chat.removed" && events.last?.data["chat"] == .string(chat))
        }
        try await PageTrial.with(["Hi"]) { trial in
            let chat = try await trial.newChat()
            let place = try await trial.place(chat)
            try await trial.wish("rename", ["chat": .string(chat), "title": "Soon gone"])
            try await trial.wish("deleteChat", ["chat": .string(chat)])
            // Who comes back begins anew, and finds it gone.
            #expect(try await trial.events(chat, since: place).next()?.type == "reset")
            let error = await #expect(throws: ServerError.self) { try await trial.read("state", ["chat": chat]) }
            #expect(error?.status == 404)
        }
        try await PageTrial.with(["Hi"]) { trial in
            for since in ["", "x", "a.-1", "a.b"] {
                await #expect(throws: ServerError.self) { try await trial.read("events", ["since": since]) }
            }
        }
    }

    @Test("A wish is fulfilled once, however often it comes and at whatever time.")
    func once() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(steps: [.token("a"), .wait(gate), .token("b")])])
        try await PageTrial.with(runner) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            async let first = trial.wish("send", id: "1", ["chat": .string(chat), "text": "Hello"])
            async let second = trial.wish("send", id: "1", ["chat": .string(chat), "text": "Hello"])
            #expect(try await first == second)
            gate.open()
            _ = try await events.until(Self.isDone)
            #expect(try await trial.wish("send", id: "1", ["chat": .string(chat), "text": "Hello"])["ok"] == true)
            #expect(runner.requests.count == 1)
            #expect(try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.count == 2)
        }
    }

    @Test("A wish that came before there was a model is tried again when it comes again.")
    func early() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "parley-page-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = OneModel()
        library.gate.open()
        let trial = try await PageTrial(ScriptedRunner(replies: ["Hi."]), folder: folder, library: library)
        let chat = try #require(try await trial.wish("newChat")["chat"]?.string)
        let members: JSONObject = ["chat": .string(chat), "text": "Hello"]
        let error = await #expect(throws: ServerError.self) { try await trial.wish("send", id: "1", members) }
        #expect(error?.status == 503)
        try await trial.wish("fetchModel", ["model": "scripted"])
        while try await trial.read("state", ["chat": chat])["chat"]?["status"]?["is_model_loaded"] != true {
            await Task.yield()
        }
        #expect(try await trial.wish("send", id: "1", members)["ok"] == true)
        try await trial.wait(for: "Hi.", in: chat)
    }

    @Test("A wish that the disk stood against is tried again when it comes again; one that was refused stays refused.")
    func later() async throws {
        try await PageTrial.with(["Hi."]) { trial in
            let sessions = trial.folder.appending(path: "sessions")
            try? FileManager.default.removeItem(at: sessions)
            try Data().write(to: sessions)
            let failed = await #expect(throws: ServerError.self) { try await trial.wish("deleteAll", id: "1") }
            #expect(failed?.status == 503)
            try FileManager.default.removeItem(at: sessions)
            #expect(try await trial.wish("deleteAll", id: "1")["ok"] == true)
            let refused = await #expect(throws: ServerError.self) { try await trial.wish("unknown", id: "2") }
            #expect(refused?.status == 400)
            await #expect(throws: ServerError.self) { try await trial.wish("newChat", id: "2") }
        }
    }

    @Test("Stopping is a wish; what was written stays, and the reply can be regenerated and the question edited.")
    func wishes() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [
            ScriptedReply(steps: [.token("One"), .wait(gate), .token("two")]), "Another.", "To the edited one.",
        ])
        try await PageTrial.with(runner) { trial in
            let chat = try await trial.newChat()
            func messages() async throws -> [JSONValue] {
                try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array ?? []
            }
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
            await gate.arrival()
            _ = try await events.until {
                $0.type == "message.delta" || $0.data["message"]?["text"]?.string?.contains("On") == true
            }
            try await trial.wish("stop", ["chat": .string(chat)])
            _ = try await events.until(Self.isDone)
            #expect(try await messages().last?["text"] == "One")
            #expect(try await messages().last?["state"] == "stopped")
            let reply = try #require(try await messages().last?["id"])
            try await trial.wish("regenerate", ["chat": .string(chat), "message": reply])
            try await trial.wait(for: "Another.", in: chat)
            #expect(try await messages().last?["versions"]?["count"] == 2)
            let question = try #require(try await messages().first?["id"])
            try await trial.wish("edit", ["chat": .string(chat), "message": question, "text": "Else"])
            try await trial.wait(for: "To the edited one.", in: chat)
            #expect(try await messages().map { $0["text"] } == ["Else", "To the edited one."])
        }
    }

    @Test("Wishes that make no sense are refused, and change nothing.")
    func nonsense() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let chat = try await trial.newChat()
            for (type, members) in [
                ("fly", [:]), ("fly", ["chat": .string(chat)]), ("send", ["chat": .string(chat)]),
                ("send", ["chat": .string(chat), "text": "  "]), ("send", ["text": "a"]),
                ("send", ["chat": .string(UUID().uuidString), "text": "a"]), ("edit", ["chat": .string(chat)]),
                ("card", ["chat": .string(chat), "card": "x", "event": "explode"]), ("loadModel", ["model": 1]),
                ("regenerate", ["chat": .string(chat), "message": .string(UUID().uuidString)]),
            ] as [(String, JSONObject)] {
                await #expect(throws: ServerError.self, "\(type)") { try await trial.wish(type, members) }
            }
            let unknown = await #expect(throws: ServerError.self) { try await trial.wish("fly") }
            #expect(unknown?.error.param == "type", "what is wanted is looked at before what it lacks")
            for body in ["", "[]", "{}", #"{"id": 1, "type": "stop"}"#, #"{"id": "", "type": "stop"}"#] {
                await #expect(throws: ServerError.self, "\(body)") {
                    try await trial.page.answer(
                        PageRequest(kind: .write, path: "intents", body: { Array(body.utf8) }))
                }
            }
            #expect(try await trial.read("state", ["chat": chat])["chat"]?["messages"] == [])
        }
    }

    @Test("Chats are listed, found, deleted and brought back; a second server over the folder shows them too.")
    func chats() async throws {
        try await PageTrial.with(["The weather is fine."]) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "Tell me"])
            _ = try await events.until(Self.isDone)
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

    @Test("Settings are kept in the file, told to every page, and hold for the next message; bad ones change nothing.")
    func settings() async throws {
        try await PageTrial.with(ScriptedRunner(replies: ["Hi"])) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("set", ["name": "answer_tokens", "value": 77])
            let told = try await events.until { $0.type == "settings.updated" }.last
            #expect(told?.data["settings"]?["answer_tokens"] == 77)
            #expect(told?.data["settings"]?["ranges"]?["history_window"] == [1, 1_000])
            #expect(told?.data["settings"]?["ranges"]?["temperature"] == [0, 2])
            #expect(told?.data["settings"]?["machine"]?.string?.hasPrefix("\(usableProcessors()) core") == true)
            // Two changes that know nothing of each other, as of two tabs: none takes the other one back.
            for (tag, effect) in [("calendar", "create"), ("notes", "delete")] {
                try await trial.wish(
                    "set",
                    ["name": "policies", "value": [["tag": .string(tag), "effects": .object([effect: "deny"])]]])
            }
            try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
            _ = try await events.until(Self.isDone)
            #expect(trial.runner.requests.last?.options.maxTokens == 77)
            let file = try JSONValue(parsing: Data(contentsOf: trial.folder.appending(path: "settings.json")))
            #expect(file["answer_tokens"] == 77)
            #expect(file["policy"] == ["calendar": ["create": "deny"], "notes": ["delete": "deny"]])
            for (name, value) in [
                ("answer_tokens", 0), ("answer_tokens", "many"), ("temperature", 9), ("policies", [:]),
                ("policies", [["tag": "rockets", "effects": [:]]]), ("search", ["engine": "else"]), ("fly", 1),
            ] as [(String, JSONValue)] {
                await #expect(throws: ServerError.self, "\(name)") {
                    try await trial.wish("set", ["name": .string(name), "value": value])
                }
            }
            let after = try JSONValue(parsing: Data(contentsOf: trial.folder.appending(path: "settings.json")))
            #expect(after == file)
            // The file takes no more either, which would tell it without the name of the setting.
            let error = await #expect(throws: ServerError.self) {
                try await trial.wish("set", ["name": "temperature", "value": 3])
            }
            #expect(error?.error.param == "temperature")
        }
    }

    @Test("A chat is renamed and pinned, and its reply goes on where it was stopped.")
    func keeping() async throws {
        let gate = Gate()
        var able = ScriptedRunner.Configuration()
        able.abilities = .continuing
        let runner = ScriptedRunner(
            able,
            replies: [
                ScriptedReply(steps: [.token("One "), .token("more "), .wait(gate), .token("never")]), "and the rest.",
            ])
        try await PageTrial.with(runner) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
            await gate.arrival()
            try await trial.wish("stop", ["chat": .string(chat)])
            _ = try await events.until(Self.isDone)
            let reply = try #require(
                try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.last?["id"])
            try await trial.wish("continue", ["chat": .string(chat), "message": reply])
            try await trial.wait(for: "and the rest.", in: chat)
            try await trial.wish("rename", ["chat": .string(chat), "title": "Other"])
            try await trial.wish("pin", ["chat": .string(chat), "is_pinned": true])
            let state = try await trial.read("state", ["chat": chat])
            #expect(state["chat"]?["messages"]?.array?.last?["text"]?.string?.hasSuffix("and the rest.") == true)
            #expect(state["chat"]?["messages"]?.array?.last?["state"] == "continued")
            #expect(state["chats"]?[0]?["title"] == "Other")
            #expect(state["chats"]?[0]?["is_pinned"] == true)
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
            _ = try await events.until(Self.isDone)
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

    @Test("A long chat is told in parts.")
    func parts() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            var chat = Chat()
            for number in 0..<250 {
                chat.append(
                    ChatMessage(role: number.isMultiple(of: 2) ? .user : .assistant, content: [.text("\(number)")]))
            }
            _ = try await ChatStore(directory: trial.folder.appending(path: "sessions")).save(chat)
            let id = chat.id.uuidString
            let state = try await trial.read("state", ["chat": id])["chat"]
            var shown = state?["messages"]?.array ?? []
            #expect(shown.count == 100 && state?["earlier"] == 150)
            while let first = shown.first?["id"]?.string, shown.count < 250 {
                let more = try await trial.read("messages", ["chat": id, "before": first])
                shown = (more["messages"]?.array ?? []) + shown
                #expect(more["earlier"]?.integer == 250 - shown.count)
            }
            #expect(shown.map { $0["text"]?.string } == (0..<250).map(String.init))
        }
    }
}

extension PageTrial {
    /// Waits until the last reply is whole and ends in a text: a short turn may begin and end between two events.
    func wait(for text: String, in chat: String) async throws {
        while true {
            let state = try await read("state", ["chat": chat])["chat"]
            let last = state?["messages"]?.array?.last
            let isOver = last?["is_streaming"] == false && state?["status"]?["is_generating"] == false
            if isOver, last?["text"]?.string?.hasSuffix(text) == true { return }
            await Task.yield()
        }
    }

    /// The place of the latest event.
    func place(_ chat: String) async throws -> String {
        let state = try await read("state", ["chat": chat])
        return "\(state["epoch"]?.string ?? "").\(state["revision"]?.integer ?? -1)"
    }
}
