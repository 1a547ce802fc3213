// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("A chat as a tree of messages")
struct ChatTests {
    private func texts(_ chat: Chat) -> [String] { chat.path.map(\.message.text) }

    @Test("The title is the beginning of the first message of the user, in one line")
    func title() {
        var chat = Chat()
        chat.append(.user("Plan\n  my " + String(repeating: "very ", count: 20) + "long day"))
        #expect(chat.title == "Plan my very very very very very very…")
        chat.append(.assistant("Gladly."))
        chat.append(.user("Thanks"))
        #expect(chat.title.hasPrefix("Plan my"))
        chat.rename(" Days ")
        #expect(chat.title == "Days")
        chat.rename("")
        #expect(chat.title.hasPrefix("Plan my"))
        // Exactly what fits is not cut; a word that fills the line is.
        for (words, title) in [
            (String(repeating: "a", count: 40), String(repeating: "a", count: 40)),
            ("to " + String(repeating: "a", count: 60), "to " + String(repeating: "a", count: 36) + "…"),
        ] {
            chat.rename(words)
            #expect(chat.title == title)
        }
    }

    @Test("Editing and regenerating keep every earlier version, with what followed it")
    func versions() throws {
        var chat = Chat()
        let question = chat.append(.user("France?"))
        let reply = chat.append(.assistant("Paris."))
        chat.append(.user("Sure?"))
        chat.append(.assistant("Yes."))
        let regenerated = chat.regenerate(reply)
        let again = try #require(regenerated)
        #expect(chat.path.map(\.state) == [.complete, .waiting])
        chat.update(again) {
            $0.message.content = [.text("It is Paris.")]
            $0.state = .complete
        }
        #expect(texts(chat) == ["France?", "It is Paris."])
        #expect(chat.versions(of: reply) == [reply, again])
        let italy = chat.edit(question, to: .user("Italy?"))
        let edited = try #require(italy)
        #expect(texts(chat) == ["Italy?"])
        #expect(chat.versions(of: edited) == [question, edited])
        chat.show(question)
        #expect(texts(chat) == ["France?", "It is Paris."])
        chat.show(reply)
        #expect(texts(chat) == ["France?", "Paris.", "Sure?", "Yes."])
        let refused = chat.regenerate(question)
        #expect(refused == nil)
        #expect(chat.nodes.count == 6)
    }

    @Test("A branch continues after an earlier message, and a copy is a chat of its own")
    func branch() {
        var chat = Chat()
        chat.append(.user("One"))
        let first = chat.append(.assistant("1"))
        chat.append(.user("Two"))
        chat.branch(after: first)
        chat.append(.user("Three"))
        #expect(texts(chat) == ["One", "1", "Three"])
        #expect(chat.nodes.count == 4)
        let copy = chat.copy(upTo: first)
        #expect(texts(copy) == ["One", "1"])
        #expect(copy.id != chat.id && Set(copy.nodes.map(\.id)).isDisjoint(with: chat.nodes.map(\.id)))
        #expect(copy.title == "One")
    }

    @Test("Deleting a message keeps what follows it, and is undone until it is forgotten")
    func deleting() {
        var chat = Chat()
        chat.append(.user("One"))
        let reply = chat.append(.assistant("1"))
        chat.append(.user("Two"))
        chat.delete(reply)
        #expect(texts(chat) == ["One", "Two"])
        chat.restore(reply)
        #expect(texts(chat) == ["One", "1", "Two"])
        chat.delete(reply)
        chat.forget([reply])
        chat.restore(reply)
        #expect(texts(chat) == ["One", "Two"])
        #expect(chat[reply]?.message.text == "")
    }

    @Test("What was deleted long ago is forgotten without an edit; what was deleted lately can still be brought back")
    func forgetting() {
        var chat = Chat()
        let now = Date()
        let ids = ["old", "late", "kept"].map { chat.append(.user($0)) }
        chat.delete(ids[0], at: now.addingTimeInterval(-200))
        chat.delete(ids[1], at: now.addingTimeInterval(-100))
        let (changed, revision) = (chat.changed, chat[ids[0]]?.revision ?? 0)
        let forgotten = [chat.forgetDeleted(before: now - 150), chat.forgetDeleted(before: now - 150)]
        #expect(forgotten == [true, false])
        #expect(chat.changed == changed && chat[ids[0]]?.revision == revision + 1)
        for id in ids { chat.restore(id) }
        #expect(texts(chat) == ["late", "kept"])
        #expect(chat[ids[1]]?.deletionDate == nil)
        chat.forget(ids)
        #expect(texts(chat) == ["late", "kept"], "Only what is deleted is forgotten.")
    }

    @Test("Deleting the last message shows its other version")
    func deletingAVersion() throws {
        var chat = Chat()
        chat.append(.user("One"))
        let reply = chat.append(.assistant("1"))
        let other = chat.regenerate(reply)
        chat.delete(try #require(other))
        #expect(texts(chat) == ["One", "1"])
    }

    @Test("Errors, notices, unfinished and empty replies are kept out of what the model is given")
    func history() {
        var chat = Chat()
        chat.append(.user("One"))
        let failed = chat.append(.assistant("half"), state: .failed)
        chat.update(failed) { $0.notice = "The model failed." }
        chat.append(.user("Two"))
        let stopped = chat.append(.assistant("some"), state: .stopped)
        chat.update(stopped) { $0.notice = "Stopped." }
        chat.append(.assistant(""), state: .stopped)
        chat.append(.user("Three"))
        chat.append(.assistant("gro"), state: .streaming)
        #expect(chat.history().map(\.text) == ["One", "Two", "some", "Three"])
        #expect(chat.history(limit: 2).map(\.text) == ["some", "Three"])
    }

    @Test("A message of the chat that is added again has an id of its own")
    func sameMessage() {
        var chat = Chat()
        let message = ChatMessage.user("One")
        let first = chat.append(message)
        let second = chat.append(message)
        #expect(first == message.id && second != first)
        #expect(texts(chat) == ["One", "One"])
    }

    @Test("What another process left unfinished is ended")
    func repair() {
        var chat = Chat()
        chat.append(.user("One"))
        let streaming = chat.append(.assistant("Part"), state: .streaming)
        chat.append(.user("Two"))
        let searching = chat.append(.assistant(""), state: .searching)
        chat.append(.user("Three"))
        let acting = chat.append(.assistant(#"Done. [NOTE_ACTION:{"action":"create","title":"a","body":"b"}]"#))
        let acted = chat.append(.assistant(#"Did. [NOTE_ACTION:{"action":"search","query":"a"}]"#))
        chat.update(acted) { $0.hasRunActions = true }
        let empty = chat.append(.assistant(""), state: .waiting)
        let cut = chat.copy(upTo: acting)
        #expect(cut.path.count == 6)
        let isChanged = chat.repair()
        #expect(isChanged)
        #expect(chat[streaming]?.state == .interrupted)
        #expect(chat[streaming]?.message.text == "Part")
        #expect(chat[searching]?.state == .interrupted)
        #expect(chat[searching]?.notice == "The web search was interrupted.")
        #expect(chat[acting]?.message.text == "Done.")
        #expect(chat[acted]?.message.text.contains("NOTE_ACTION") == true)
        #expect(chat[empty] == nil)
        #expect(chat.current == acted)
        let repaired = chat
        let isChangedAgain = chat.repair()
        #expect(!isChangedAgain)
        #expect(chat == repaired)
    }

    @Test("Copies that were edited apart are put together without a loss, in either order", arguments: 0..<40)
    func merging(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var base = Chat()
        for number in 0..<4 { base.append(number % 2 == 0 ? .user("\(number)") : .assistant("\(number)")) }
        var (one, other) = (base, base)
        for _ in 0..<12 {
            edit(&one, &random)
            edit(&other, &random)
        }
        var (first, second) = (one, other)
        first.merge(other)
        second.merge(one)
        #expect(Set(first.nodes) == Set(second.nodes))
        #expect(Set(first.nodes.map(\.id)) == Set(one.nodes.map(\.id)).union(other.nodes.map(\.id)))
        #expect(first.title == second.title && first.isPinned == second.isPinned)
        #expect(first.current == one.current && second.current == other.current)
        let merged = first
        first.merge(other)
        first.merge(second)
        #expect(first == merged)
        for node in one.nodes {
            let kept = first[node.id]
            #expect((kept?.revision ?? -1) >= node.revision)
        }
    }

    private func edit(_ chat: inout Chat, _ random: inout SplitMix64) {
        let id = chat.nodes[Int(random.next() % UInt64(chat.nodes.count))].id
        switch random.next() % 8 {
        case 0, 1: chat.append(.user("m\(random.next() % 100)"))
        case 2: chat.edit(id, to: .user("e\(random.next() % 100)"))
        case 3: chat.regenerate(id)
        case 4: chat.delete(id)
        case 5: chat.restore(id)
        case 6: chat.pin(random.next() % 2 == 0)
        default: chat.update(id) { $0.message.content = [.text("u\(random.next() % 100)")] }
        }
    }
}
