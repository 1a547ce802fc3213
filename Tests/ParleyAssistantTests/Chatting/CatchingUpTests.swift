// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyTesting
import Testing

@MainActor
@Suite("ChatViewModel: what another program writes", .timeLimit(.minutes(15)))
struct CatchingUpTests {
    private func send(_ text: String, to chat: ChatViewModel) async {
        chat.inputText = text
        chat.send()
        await chat.settled()
    }

    private func texts(_ chat: ChatViewModel) -> [String] { chat.messages.map(\.text) }

    @Test("A chat goes on behind what another program has added")
    func goesOn() async throws {
        let bench = try await ChatBench(["One.", "Two.", "Three."])
        await send("First", to: bench.chat)
        let other = try await bench.another()
        await send("Second", to: other)
        #expect(await bench.chat.catchUp())
        #expect(texts(bench.chat) == ["First", "One.", "Second", "Two."])
        #expect(!(await bench.chat.catchUp()))
        await send("Third", to: bench.chat)
        #expect(texts(bench.chat) == ["First", "One.", "Second", "Two.", "Third", "Three."])
    }

    @Test("A branch that was just begun stays where it is: what follows it elsewhere was known")
    func keepsBranches() async throws {
        let bench = try await ChatBench(["One.", "Two.", "Three."])
        await send("First", to: bench.chat)
        let reply = try #require(bench.chat.messages.last)
        await send("Second", to: bench.chat)
        #expect(await bench.chat.branch(after: reply.id))
        #expect(!(await bench.chat.catchUp()))
        await send("Third", to: bench.chat)
        #expect(texts(bench.chat) == ["First", "One.", "Third", "Three."])
    }

    @Test("A message that is sent while another branch comes to be shown goes below that one, and is kept")
    func sentMeanwhile() async throws {
        let bench = try await ChatBench(["One.", "Two.", "Three."])
        await send("First", to: bench.chat)
        let reply = try #require(bench.chat.messages.last)
        await send("Second", to: bench.chat)
        let going = Task { await bench.chat.branch(after: reply.id) }
        // The branch is chosen, and the log is asked about its cards.
        while bench.chat.chat.path.count > 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        await send("Third", to: bench.chat)
        #expect(await going.value)
        #expect(texts(bench.chat) == ["First", "One.", "Third", "Three."])
        let kept = try await bench.history.chat(bench.chat.chatID)
        #expect(kept?.path.map(\.message.text) == ["First", "One.", "Third", "Three."])
    }

    @Test("Where both have written, what the other has written is a version beside, and it is said")
    func tellsOfVersions() async throws {
        let bench = try await ChatBench(["One.", "Two.", "Three."])
        await send("First", to: bench.chat)
        let other = try await bench.another()
        await send("Second", to: other)
        await send("Third", to: bench.chat)
        #expect(texts(bench.chat) == ["First", "One.", "Third", "Three."])
        #expect(bench.chat.messages[2].versions.count == 2)
        #expect(bench.chat.notices.contains { $0.text.contains("Another program") })
    }
}
