// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import ParleyWeb
import Testing

@Suite("The wishes of pages", .timeLimit(.minutes(15)))
struct WishesTests {
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
            _ = try await events.untilDone()
            #expect(try await trial.wish("send", id: "1", ["chat": .string(chat), "text": "Hello"])["ok"] == true)
            #expect(runner.requests.count == 1)
            #expect(try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.count == 2)
        }
    }

    @Test("A wish that came before there was a model is tried again when it comes again.")
    func early() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.url
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
        // Its answer is kept as long as that of any other wish.
        for number in 2...1_000 { try await trial.wish("stop", id: "\(number)", ["chat": .string(chat)]) }
        #expect(try await trial.wish("send", id: "1", members)["ok"] == true)
        #expect(try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.count == 2)
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
                ("send", ["chat": .string(chat), "text": "a", "replying_to": "b"]),
                ("send", ["chat": .string(chat), "text": "a", "attachments": "b"]),
                ("send", ["chat": .string(chat), "text": "a", "attachments": [1]]),
                ("chooseModel", ["chat": .string(chat), "model": 1]),
                ("replyTo", ["chat": .string(chat), "message": 1]),
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

    @Test("A wish of more values than any needs is refused.")
    func largeWish() async throws {
        try await PageTrial.with([]) { trial in
            let list = JSONValue.array(Array(repeating: .integer(1), count: 1 << 16))
            let error = await #expect(throws: ServerError.self) { try await trial.wish("send", ["list": list]) }
            #expect(error?.json["error"]?["code"] == "invalid_json")
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
            _ = try await events.untilDone()
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
            _ = try await events.untilDone()
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
            _ = try await events.untilDone()
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
}
