// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite("Search over all chats")
struct ChatSearchTests {
    private let directory: TemporaryDirectory
    private let store: ChatStore

    init() throws {
        directory = try TemporaryDirectory()
        store = ChatStore(directory: directory.url)
    }

    @discardableResult
    private func save(_ texts: String...) async throws -> Chat {
        var chat = Chat()
        for (number, text) in texts.enumerated() { chat.append(number % 2 == 0 ? .user(text) : .assistant(text)) }
        return try await store.save(chat)
    }

    @Test("Titles come first, then messages of the chats, the last edited chat first")
    func order() async throws {
        let title = try await save("Paris in spring", "Bring an umbrella.")
        let early = try await save("Where is it warm?", "Not in Paris.")
        let late = try await save("And cold?", "In Oslo.", "And Paris?", "Paris is mild.")
        let hits = try await store.search("paris")
        #expect(hits.map(\.chat) == [title.id, late.id, late.id, early.id, title.id])
        #expect(hits.map { $0.message == nil } == [true, false, false, false, false])
        #expect(hits[1].snippet == "Paris is mild.")
        #expect(try await store.search("paris", limit: 2).count == 2)
        #expect(try await store.search("paris", limit: 0).isEmpty)
    }

    @Test(
        "Case and accents do not matter, and every word must occur",
        arguments: [
            ("CAFÉ", true), ("cafe\u{301}", true), ("cafe", true), ("ÜBER", true), ("uber cafe", true),
            ("straße", true), ("strasse", true), ("STRASSE", true),
            ("tea", false), ("cafe tea", false), ("Ελλάδα", true), ("ελλαδα", true), ("  ", false), ("", false),
        ])
    func folding(query: String, isFound: Bool) async throws {
        try await save("Hi", "Über das Café in der STRAßE, in ΕΛΛΆΔΑ 😀")
        #expect(try await store.search(query).isEmpty == !isFound)
    }

    @Test("What a card is about and what its items say is found, in the message that has it")
    func cards() async throws {
        let card = try await Bench().card(
            .calendar,
            #"{"action":"create","title":"Dentist","start":"tomorrow at noon","end":"13:00","location":"Bern"}"#)
        var chat = Chat()
        chat.append(.user("My tooth hurts"))
        let reply = chat.append(.assistant("It is planned."))
        let value = try JSONValue(parsing: try JSONEncoder().encode(card))
        chat.update(reply) { $0.cards = [["no": "card"], value] }
        try await store.save(chat)
        for words in ["dentist", "bern dentist"] {
            let hits = try await store.search(words)
            #expect(hits.map(\.message) == [reply], "\(words)")
            #expect(hits.first?.snippet.contains("Dentist") == true)
        }
        #expect(try await store.search("noon").isEmpty, "What the model wrote is not what the card shows.")
    }

    @Test("A block of a reply is neither found nor shown")
    func blocks() async throws {
        try await save("Hi", #"Of course. [NOTE_ACTION:{"action":"create","title":"Gate","body":"4711"}] Noted."#)
        #expect(try await store.search("4711").isEmpty)
        #expect(try await store.search("noted").map(\.snippet) == ["Of course. Noted."])
    }

    @Test("A snippet is one line around what was found")
    func snippet() async throws {
        let long =
            String(repeating: "é before\n", count: 50) + "the NÉEDLE here " + String(repeating: "after ", count: 50)
        try await save("Hi", long)
        let hit = try #require(try await store.search("needle").first)
        #expect(hit.snippet.contains("the NÉEDLE here after"))
        #expect(hit.snippet.hasPrefix("…") && hit.snippet.hasSuffix("…"))
        #expect(hit.snippet.count < 140 && !hit.snippet.contains("\n"))
    }

    @Test("Deleted messages are not found, earlier versions are")
    func versions() async throws {
        var chat = Chat()
        chat.append(.user("Fruit"))
        let first = chat.append(.user("apple"))
        chat.edit(first, to: .user("pear"))
        let gone = chat.append(.assistant("plum"))
        chat.delete(gone)
        try await store.save(chat)
        #expect(try await store.search("apple").map(\.message) == [first])
        #expect(try await store.search("plum").isEmpty)
    }
}
