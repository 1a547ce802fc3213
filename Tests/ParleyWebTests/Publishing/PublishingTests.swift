// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("What pages are told", .timeLimit(.minutes(15)))
struct PublishingTests {
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
                    var message = messages[id], let known = message[part]?.array
                else { continue }
                message[part] = .array(grown(known, "blocks", event.data))
                messages[id] = message
            case "message.removed": messages[event.data["id"]?.string ?? ""] = nil
            default: break
            }
        }
        return messages
    }

    /// A list with the end that was told.
    private static func grown(_ list: [JSONValue], _ name: String, _ end: JSONValue) -> [JSONValue] {
        let from = end["from"]?.integer ?? 0
        var more = end[name]?.array ?? []
        if let grown = end["grown"], list.indices.contains(from) {
            var value = list[from]
            if let letters = grown["text"]?.string {
                let text = value["text"]?.string ?? ""
                value["text"] = .string((text.hasSuffix("\n") ? String(text.dropLast()) : text) + letters)
            }
            for name in ["inlines", "blocks", "items", "rows"] where grown[name] != nil {
                value[name] = .array(self.grown(value[name]?.array ?? [], name, grown))
            }
            more.insert(value, at: 0)
        }
        return Array(list.prefix(from)) + more
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
                let all = try await events.untilDone()
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

    @Test(
        "Of what goes on only what is new is told: of code, lists, tables, quotations and paragraphs.",
        arguments: [
            ["```swift\nlet first = 1\n", "let next = 2\nlet", " c = 3\n```\nDone."],
            ["- first\n- a\n  ```\n  b\n", "  next\n", "  ```\n- c\n\nDone."],
            ["| a | b |\n|---|---|\n| first | 2 |\n", "| next | 4 |\n", "| 5 | 6 |\n\nDone."],
            ["> - first\n> - a\n", "> - next an", "d more\n\nDone."],
            ["The *first* and", " next an", "d `a`.\n\nDone."],
        ])
    func growing(pieces: [String]) async throws {
        let (first, second) = (Gate(), Gate())
        let reply = ScriptedReply(steps: [
            .token(pieces[0]), .wait(first), .token(pieces[1]), .wait(second), .token(pieces[2]),
        ])
        try await PageTrial.with([reply]) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
            var all = try await events.until { $0.data.text().contains("first") }
            first.open()
            let grown = try await events.until { $0.data.text().contains("next") }
            let told = grown.last?.data
            #expect(grown.last?.type == "message.delta" && told?["grown"] != nil && told?["blocks"] == [])
            #expect(told?.text().contains("first") == false)
            second.open()
            all += try await grown + events.untilDone()
            let shown = try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.last
            #expect(shown?["blocks"]?.array?.count == 2)
            #expect(shown != nil && Self.played(all)[shown?["id"]?.string ?? ""] == shown)
        }
    }

    @Test("A page that comes back at any place has the same as one that never went.")
    func resuming() async throws {
        try await PageTrial.with([ScriptedReply(Self.text, cuts: .every(5))]) { trial in
            let chat = try await trial.newChat()
            let place = try await trial.place(chat)
            let events = try await trial.events(chat, since: place)
            try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
            let all = try await events.untilDone()
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
            let messages = Self.played(try await events.untilDone())
            let reply = try #require(messages.values.first { $0["author"] == "assistant" })
            let inline = try #require(reply["blocks"]?[0]?["inlines"]?[0])
            let words = inline["text"]?.string ?? inline["inlines"]?[0]?["text"]?.string
            #expect([inline["kind"]?.string, words] == expected)
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
