// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTestSupport
import ParleyTesting
import ParleyWeb
import Synchronization
import Testing

@Suite("Replies that are generated again in the page", .timeLimit(.minutes(15)))
struct ReplaysTests {
    /// A runner that generates given tokens again, of which each is a letter.
    private final class Again: Replaying {
        let modelID = "scripted"
        let tokens: [Int32]
        let gate: Gate?
        let prompts = Mutex<[KeptPrompt]>([])

        init(_ tokens: [Int32], gate: Gate? = nil) { (self.tokens, self.gate) = (tokens, gate) }

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            throw ConversationError(.generationFailed, "Nothing new is generated here.")
        }

        func generate(again prompt: KeptPrompt, to writer: ResponseWriter) async throws -> GenerationOutcome {
            prompts.withLock { $0.append(prompt) }
            try await gate?.wait()
            var outcome = GenerationOutcome(Task.isCancelled ? .cancelled : .stop)
            outcome.tokens = tokens
            return outcome
        }

        func text(of tokens: [Int32]) async throws -> String {
            String(String.UnicodeScalarView(tokens.compactMap { Unicode.Scalar(UInt32($0)) }))
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int { 1 }

        func unload() async {}
    }

    private static func letters(_ text: String) -> [Int32] { text.unicodeScalars.map { Int32($0.value) } }

    private static func receipt(_ text: String, digest: String? = nil, seed: UInt64? = 7) -> ReplyReceipt {
        var prompt = PromptReport()
        (prompt.tokens, prompt.sampling) = ([1, 2, 3], SamplingOptions(temperature: 0.7, seed: seed))
        var info = GenerationInfo(finishReason: .stop, prompt: prompt)
        info.tokens = letters(text)
        return ReplyReceipt(info, options: GenerationOptions(maxTokens: 50), model: "scripted", modelDigest: digest)
    }

    /// Runs a test with a chat that has one reply, which was kept.
    private static func with(
        _ runner: Again, _ receipt: ReplyReceipt?,
        _ body: (PageTrial, _ chat: String, _ reply: String) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.url
        var chat = Chat()
        chat.append(ChatMessage(role: .user, content: [.text("Say it")]))
        let reply = chat.append(ChatMessage(role: .assistant, content: [.text("whatever")]))
        chat.update(reply) { $0.receipt = receipt }
        _ = try await ChatStore(directory: folder.appending(path: "sessions")).save(chat)
        let trial = try await PageTrial(ScriptedRunner(replies: ["x"]), folder: folder, serving: runner)
        try await body(trial, chat.id.uuidString, reply.uuidString)
    }

    /// Sends the wish, and waits for what comes of it.
    private static func replay(_ trial: PageTrial, _ chat: String, _ reply: String) async throws -> JSONValue? {
        let events = try await trial.events(chat, since: try await trial.place(chat))
        try await trial.wish("replay", ["chat": .string(chat), "message": .string(reply)])
        return try await events.until {
            $0.type == "replay.updated" && $0.data["replay"]?["is_running"] != true
        }.last?.data["replay"]
    }

    @Test("The very prompt, options and seed are sent again, the same tokens are told, and the chat stays as it is.")
    func same() async throws {
        let runner = Again(Self.letters("The same."))
        try await Self.with(runner, Self.receipt("The same.")) { trial, chat, reply in
            let before = try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array
            #expect(before?.last?["receipt"]?["can_be_replayed"] == true)
            let told = try await Self.replay(trial, chat, reply)
            #expect(told?["replies"] == [["same": true, "tokens": 9, "tokens_now": 9]])
            #expect(told?["failure"] == .null)
            let prompt = try #require(runner.prompts.withLock { $0.first })
            #expect(prompt.tokens == [1, 2, 3])
            #expect(prompt.options.seed == 7 && prompt.options.temperature == 0.7 && prompt.options.maxTokens == 50)
            let after = try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array
            #expect(after?.last?["replay"] == told, "who comes later sees it too")
            #expect(after?.map { $0["text"] } == before?.map { $0["text"] })
            #expect(after?.last?["versions"]?["count"] == 1)
        }
    }

    @Test("Where another reply comes, it is said from where on, with the words around it.")
    func parting() async throws {
        try await Self.with(Again(Self.letters("I say no.")), Self.receipt("I say yes.")) { trial, chat, reply in
            let told = try await Self.replay(trial, chat, reply)?["replies"]?[0]
            #expect(told?["same"] == false && told?["parts_at"] == 6)
            #expect(told?["kept"] == "I say yes." && told?["now"] == "I say no.")
        }
    }

    @Test("A reply of which too little was kept, or of another model, is not sent again, and the reason is told.")
    func refusals() async throws {
        try await Self.with(Again([]), nil) { trial, chat, reply in
            await #expect(throws: ServerError.self) { try await Self.replay(trial, chat, reply) }
        }
        try await Self.with(Again([]), Self.receipt("a", seed: nil)) { trial, chat, reply in
            let shown = try await trial.read("state", ["chat": chat])["chat"]?["messages"]?.array?.last
            #expect(shown?["receipt"]?["can_be_replayed"] == false)
            await #expect(throws: ServerError.self) { try await Self.replay(trial, chat, reply) }
        }
        let runner = Again(Self.letters("a"))
        try await Self.with(runner, Self.receipt("a", digest: "sha256:other")) { trial, chat, reply in
            let told = try await Self.replay(trial, chat, reply)
            #expect(told?["failure"]?.string?.contains("scripted") == true)
            #expect(runner.prompts.withLock { $0.isEmpty })
        }
    }

    @Test("A replay is cancelled, and can be asked for again.")
    func cancelling() async throws {
        let gate = Gate()
        try await Self.with(Again(Self.letters("a"), gate: gate), Self.receipt("a")) { trial, chat, reply in
            let events = try await trial.events(chat, since: try await trial.place(chat))
            let wish: JSONObject = ["chat": .string(chat), "message": .string(reply)]
            try await trial.wish("replay", wish)
            await gate.arrival()
            let error = await #expect(throws: ServerError.self) { try await trial.wish("replay", wish) }
            #expect(error?.status == 409)
            try await trial.wish("replay", wish.merging(["on": false]) { $1 })
            let last = try await events.until { $0.type == "replay.updated" && $0.data["replay"] == .null }.last
            #expect(last?.data["message"] == .string(reply))
            gate.open()
            #expect(try await Self.replay(trial, chat, reply)?["replies"]?[0]?["same"] == true)
        }
    }
}
