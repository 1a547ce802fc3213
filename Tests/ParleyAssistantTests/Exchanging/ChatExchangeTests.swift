// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTestSupport
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Chats that are exported and imported")
struct ChatExchangeTests {
    private let chat: Chat = {
        var chat = Chat()
        chat.append(.user("What is *new*?"))
        let reply = chat.append(.assistant(#"Nothing.[NOTE_ACTION:{"action":"search","query":"a"}]"#))
        chat.update(reply) { $0.notice = "Stopped." }
        chat.regenerate(reply)
        chat.show(reply)
        return chat
    }()

    @Test("Markdown and text have the branch that is shown, without action blocks")
    func texts() throws {
        #expect(
            try chat.export(.markdown)
                == "# What is \\*new\\*?\n\n## You\n\nWhat is *new*?\n\n## Assistant\n\nNothing.\n\n(Stopped.)\n")
        #expect(
            try chat.export(.text)
                == "What is *new*?\n\nYou:\nWhat is *new*?\n\nAssistant:\nNothing.\n\n(Stopped.)\n")
    }

    @Test("An imported chat has no documents: a file of others does not choose what is read on this machine")
    func documents() throws {
        var chat = chat
        let message = try #require(chat.nodes.first?.id)
        chat.update(message) { node in
            node.cards = [["documents": ["file:///etc/passwd"], "sources": [], "isUntrusted": true]]
        }
        let copy = try #require(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first)
        #expect(copy.nodes.first?.cards == [["documents": [], "sources": [], "isUntrusted": true]])
    }

    @Test("An imported image of more pixels than are decoded is left out with a remark, and the chat stays")
    func pixels() throws {
        var chat = Chat()
        let (small, large) = (Data.png(8, 8), Data.png(60_000, 60_000))
        chat.append(ChatMessage(role: .user, content: [.image(small), .image(large), .text("Look")]))
        let copy = try #require(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first)
        #expect(copy.nodes.first?.message.content == [.image(small), .text("Look")])
        #expect(copy.nodes.first?.notice?.contains("left out") == true)
    }

    @Test("All messages of a file count as written after reading text of others, whatever the file says")
    func untrusted() throws {
        var own = chat
        for (node, cards) in zip(
            own.nodes,
            [[["documents": [], "sources": [], "isUntrusted": false]], [["isUntrusted": false]], []] as [[JSONValue]])
        {
            own.update(node.id) { $0.cards = cards }
        }
        let files = [
            try own.export(.json), #"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]"#,
            #"{"mapping":{"a":{"message":{"author":{"role":"assistant"},"content":{"parts":["Hi"]}}}}}"#,
        ]
        for file in files {
            let nodes = try ChatImport.chats(from: Data(file.utf8)).flatMap(\.nodes)
            #expect(!nodes.isEmpty && nodes.allSatisfy { ChatItem($0).isUntrusted }, "\(file)")
        }
    }

    @Test("What an imported card makes is not the user's own")
    func untrustedCard() async throws {
        let bench = try await Bench()
        let card = try await bench.card(.note, #"{"action":"create","title":"Gate"}"#)
        var chat = chat
        let kept = try JSONValue(parsing: JSONEncoder().encode(card))
        chat.update(chat.nodes[1].id) { $0.cards = [kept] }
        let copy = try #require(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first)
        #expect(!card.readsUntrusted && ChatItem(copy.nodes[1]).cards.map(\.readsUntrusted) == [true])
    }

    @Test("An imported card asks nothing and undoes nothing; what the log of this machine knows of it can be undone")
    func importedCards() async throws {
        let bench = try await Bench()
        try bench.add("Tea", 1, 15, 16)
        let done = try await bench.card(.note, #"{"action":"create","title":"Gate"}"#)
        let asking = try await bench.card(.calendar, #"{"action":"delete","search":"tea"}"#, message: "m2")
        #expect(asking.isWaiting)
        var chat = chat
        let kept = try [done, asking].map { try JSONValue(parsing: JSONEncoder().encode($0)) }
        chat.update(chat.nodes[1].id) { $0.cards = kept }
        let copy = try #require(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first)
        let cards = ChatItem(copy.nodes[1]).cards
        #expect(cards.map(\.stage) == [.done, .declined] && cards.allSatisfy { $0.choices.isEmpty })
        #expect(cards.map(\.status) == ["Done elsewhere", "Declined"])
        let contents = bench.items.contents
        // Elsewhere there is no such log.
        let other = try await Bench()
        let stranger = await ActionRunner(stores: bench.stores, log: other.runner.log) { bench.context }
        for card in await stranger.adopt(cards) {
            for event: ActionCard.Event in [.confirm, .undo] { _ = await stranger.handle(event, of: card.id) }
        }
        #expect(bench.items.contents == contents)
        let runner = await ActionRunner(stores: bench.stores, log: bench.runner.log) { bench.context }
        #expect(await runner.adopt(cards).map { $0.confirmation?.state } == [.created, nil])
        _ = await runner.handle(.undo, of: done.id)
        #expect(bench.items.contents.keys.map(\.store) == ["calendar"])
    }

    @Test("Exported JSON is imported as a new chat with all versions")
    func json() throws {
        let imported = try ChatImport.chats(from: Data(try chat.export(.json).utf8))
        let copy = try #require(imported.first)
        #expect(imported.count == 1 && copy.id != chat.id)
        #expect(copy.path.map(\.message.text) == chat.path.map(\.message.text))
        #expect(copy.path.last?.notice == "Stopped.")
        #expect(copy.title == chat.title)
    }

    @Test("The same file is the same chat each time it is read, and another one is another")
    func identity() throws {
        let exported = try chat.export(.json)
        let files = [
            exported, exported.replacing("Stopped.", with: "Ended."), #"[{"role":"user","content":"Hi"}]"#,
            #"{"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hi"]}}}}}"#,
        ]
        let ids = try files.map { try ChatImport.chats(from: Data($0.utf8)).map(\.id) }
        #expect(try files.map { try ChatImport.chats(from: Data($0.utf8)).map(\.id) } == ids)
        #expect(Set(ids.flatMap { $0 }).count == 4)
    }

    @Test(
        "Exported JSON keeps which branch is shown, also one that does not end in the last message, or is gone back to")
    func shown() throws {
        var chat = Chat()
        let question = chat.append(.user("Where?"))
        let first = chat.append(.assistant("Rome"))
        chat.append(.user("Why?"))
        let version = chat.edit(question, to: .user("When?"))
        let edited = try #require(version)
        chat.append(.assistant("Now"))
        for (go, texts) in [
            ({ $0.show(first) }, ["Where?", "Rome", "Why?"]), ({ $0.branch(after: first) }, ["Where?", "Rome"]),
            ({ $0.show(edited) }, ["When?", "Now"]), ({ $0.branch(after: edited) }, ["When?"]),
        ] as [((inout Chat) -> Void, [String])] {
            go(&chat)
            let copy = try #require(try ChatImport.chats(from: Data(try chat.export(.json).utf8)).first)
            #expect(copy.path.map(\.message.text) == texts)
            #expect(copy.nodes.count == 5)
        }
    }

    @Test("A conversation of ChatGPT keeps its branches and what is shown")
    func chatGPT() throws {
        let text = #"""
            [{"title": "Trip", "create_time": 1700000000.5, "current_node": "d", "mapping": {
              "root": {"id": "root", "message": null, "parent": null, "children": ["s"]},
              "s": {"message": {"author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}},
                    "parent": "root", "children": ["a"]},
              "a": {"message": {"author": {"role": "user"}, "create_time": 1700000001,
                    "content": {"content_type": "text", "parts": ["Where?"]}}, "parent": "s", "children": ["b", "c"]},
              "b": {"message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Rome"]}},
                    "parent": "a", "children": []},
              "c": {"message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Oslo"]}},
                    "parent": "a", "children": ["t"]},
              "t": {"message": {"author": {"role": "tool"}, "content": {"content_type": "text", "parts": ["x"]}},
                    "parent": "c", "children": ["d"]},
              "d": {"message": {"author": {"role": "user"}, "content": {"content_type": "multimodal_text",
                    "parts": [{"asset_pointer": "file"}, "Cold!"]}}, "parent": "t", "children": []}}}]
            """#
        let chats = try ChatImport.chats(from: Data(text.utf8))
        let chat = try #require(chats.first)
        #expect(chat.title == "Trip")
        #expect(chat.created == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(chat.path.map(\.message.text) == ["Where?", "Oslo", "Cold!"])
        #expect(chat.nodes.count == 4)
        let rome = try #require(chat.nodes.first { $0.message.text == "Rome" })
        #expect(chat.versions(of: rome.id).count == 2)
    }

    @Test("Circles, missing parents and nodes of other kinds in a map end, and lose nothing that has a root")
    func hostileMap() throws {
        let text = #"""
            {"title": 7, "current_node": "zzz", "create_time": 1e300, "mapping": {
              "a": {"parent": "b", "message": {"author": {"role": "user"}, "content": {"parts": ["circle"]}}},
              "b": {"parent": "a", "message": {"author": {"role": "user"}, "content": {"parts": ["circle"]}}},
              "c": {"parent": "c", "message": {"author": {"role": "user"}, "content": {"parts": ["self"]}}},
              "d": {"parent": "nowhere", "message": {"author": {"role": "user"}, "content": {"parts": ["kept"]}}},
              "e": 5, "f": {"message": [1], "parent": {}}, "g": {"message": {"author": "user", "content": "x"}}}}
            """#
        let chats = try ChatImport.chats(from: Data(text.utf8))
        #expect(chats.map { $0.path.map(\.message.text) } == [["kept"]])
    }

    @Test("A long chain is read without recursion")
    func chain() throws {
        var mapping: JSONObject = [:]
        for number in (0..<20_000).reversed() {
            mapping["n\(number)"] = [
                "parent": number == 0 ? .null : .string("n\(number - 1)"),
                "message": ["author": ["role": "user"], "content": ["parts": ["m"]]],
            ]
        }
        let file = JSONValue.array([["mapping": .object(mapping)]])
        let chats = try ChatImport.chats(from: Data(file.text().utf8))
        #expect(chats.first?.path.count == 20_000)
    }

    @Test("Plain messages of an earlier assistant become a chat")
    func legacy() throws {
        let text = #"""
            [{"role": "user", "content": "Hi", "timestamp": 1700000000},
             {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]}, {"role": "x", "content": "?"}, 5]
            """#
        let chats = try ChatImport.chats(from: Data(text.utf8))
        #expect(chats.first?.path.map(\.message.text) == ["Hi", "Hello"])
        #expect(chats.first?.created == Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test("Other files are refused", arguments: ["", "[", "[{}]", "7", #"{"parley_chat":1}"#, #"{"parley_chat":9}"#])
    func refused(text: String) {
        #expect(throws: AssistantError.self) { try ChatImport.chats(from: Data(text.utf8)) }
    }

    @Test("A file of a chat that is changed anywhere is refused or is a chat", arguments: 0..<300)
    func damaged(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var bytes = Array(try chat.export(.json).utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch random.next() % 3 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: place)
            default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
            }
        }
        guard let chats = try? ChatImport.chats(from: Data(bytes)) else { return }
        for chat in chats {
            let again = try ChatImport.chats(from: Data(try chat.export(.json).utf8))
            #expect(again.map { $0.path.map(\.message) } == [chat.path.map(\.message)])
        }
    }
}
