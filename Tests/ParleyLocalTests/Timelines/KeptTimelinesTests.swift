// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Timelines kept in files")
struct KeptTimelinesTests {
    private let options = GenerationOptions(temperature: 0, maxTokens: 8)
    /// A history of more tokens than the fewest that are kept.
    private let history = [
        ChatMessage.system("Be brief."), .user(String(repeating: "the river rose again; ", count: 20)),
        .assistant("I see."),
    ]
    private let directory: TemporaryDirectory
    private let folder: URL
    private let weights: URL
    private let handler: InMemoryLogHandler

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.url.appending(path: "caches")
        weights = directory.url.appending(path: "tiny.gguf")
        var model = TinyModel()
        model.context = 2_048
        try model.write(to: weights)
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        self.handler = handler
    }

    private func runner(
        keeping caches: CacheFolder?, of digest: String = "tiny", timelines: Int = 4
    ) async throws -> LocalModelRunner {
        let model = try await NativeModel.load(weights, configuration: .init(context: 2_048, threads: 1))
        return try LocalModelRunner(
            model, contextSize: 2_048, timelines: timelines, caches: caches.map { ($0, digest) },
            logger: Logger(label: "test") { [handler] _ in handler })
    }

    private func ask(
        _ runner: LocalModelRunner, _ id: ConversationID, _ question: String = "And now?",
        _ history: [ChatMessage]? = nil
    ) async throws -> (text: String, stats: GenerationStats) {
        let conversation = Conversation(modelRunner: runner, history: history ?? self.history, id: id)
        let completion = try await conversation.reply(to: question, generationOptions: options).completion
        return (completion.message.text, try #require(completion.stats))
    }

    private func logged(_ message: String) -> Int { handler.entries.count { "\($0.message)" == message } }

    @Test("A conversation that is resumed in another process is not read again, and its reply is the same")
    func resumes() async throws {
        let id = ConversationID()
        let caches = CacheFolder(folder)
        let first = try await runner(keeping: caches)
        let before = try await ask(first, id)
        #expect(before.stats.cachedPromptTokens == 0)
        await first.unload()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [id.description])

        let second = try await runner(keeping: caches)
        let plain = try await runner(keeping: nil)
        for question in ["And now?", "What rose?"] {
            let resumed = try await ask(second, id, question)
            #expect(resumed.stats.cachedPromptTokens > 256)
            #expect(try await ask(plain, ConversationID(), question).text == resumed.text)
        }
        // A conversation that is resumed at once waits for the file of the one that has just ended.
        #expect(try await ask(second, id, "And now?").stats.cachedPromptTokens > 256)
        await second.unload()
        // What is in files is another conversation's.
        let third = try await runner(keeping: caches)
        #expect(try await ask(third, ConversationID()).stats.cachedPromptTokens == 0)
        #expect(logged("The file of a conversation's cache was ignored.") == 0)
    }

    @Test("With one timeline, what a conversation leaves to another one is kept")
    func takeover() async throws {
        let ids = [ConversationID(), ConversationID()]
        let runner = try await runner(keeping: CacheFolder(folder), timelines: 1)
        // Both exist at the same time.
        let histories = [history, [.system("Be long.")] + history.dropFirst()]
        let conversations = zip(ids, histories).map { Conversation(modelRunner: runner, history: $1, id: $0) }
        for round in 0..<2 {
            for conversation in conversations {
                let reply = try await conversation.reply(to: "And now?", generationOptions: options).completion
                if round > 0 { #expect(try #require(reply.stats).cachedPromptTokens > 256) }
            }
        }
        #expect(logged("The cache of a conversation was read from its file.") == 2)
    }

    @Test("A file of other weights, of another history or with damage is ignored, with one line in the log at most")
    func ignores() async throws {
        let id = ConversationID()
        let caches = CacheFolder(folder)
        let first = try await runner(keeping: caches)
        let expected = try await ask(first, id)
        await first.unload()
        let whole = try Data(contentsOf: caches.file(of: id))
        func cached(_ contents: Data, _ digest: String = "tiny", _ history: [ChatMessage]? = nil) async throws -> Int {
            try contents.write(to: caches.file(of: id))
            let runner = try await runner(keeping: CacheFolder(folder, keeps: { _ in false }), of: digest)
            let reply = try await ask(runner, id, "And now?", history)
            if history == nil { #expect(reply.text == expected.text) }
            await runner.unload()
            return reply.stats.cachedPromptTokens
        }
        let other: [ChatMessage] = [.system("Be long.")] + history.dropFirst()
        #expect(try await cached(whole) > 256)
        #expect(logged("The file of a conversation's cache was ignored.") == 0)
        #expect(try await cached(whole, "tiny", other) == 0)
        #expect(logged("The file of a conversation's cache was ignored.") == 0)
        var flipped = whole
        flipped[5_000] ^= 1
        let files: [(contents: Data, digest: String)] = [
            (whole, "other"), (Data(whole.dropLast()), "tiny"), (Data(), "tiny"), (whole + Data([0]), "tiny"),
            (flipped, "tiny"),
        ]
        var faults = 0
        for (contents, digest) in files {
            #expect(try await cached(contents, digest) == 0)
            faults += 1
            #expect(logged("The file of a conversation's cache was ignored.") == faults)
        }
    }

    @Test("Weights that compute other keys are noticed even if they are called the same")
    func probes() async throws {
        let id = ConversationID()
        let first = try await runner(keeping: CacheFolder(folder))
        _ = try await ask(first, id)
        await first.unload()
        var other = TinyModel()
        (other.context, other.seed) = (2_048, 2)
        try other.write(to: weights)
        let second = try await runner(keeping: CacheFolder(folder))
        #expect(try await ask(second, id).stats.cachedPromptTokens == 0)
        #expect(logged("The file of a conversation's cache was ignored.") == 1)
    }

    @Test(
        "The folder keeps to its limit, the files used least recently go first, and short or unwanted ones are not kept"
    )
    func bounds() async throws {
        let ids = (0..<4).map { _ in ConversationID() }
        let unwanted = ids[3]
        func keep(_ id: ConversationID, limit: Int, history: [ChatMessage]? = nil) async throws -> Set<String> {
            let runner = try await runner(keeping: CacheFolder(folder, limit: limit, keeps: { $0 != unwanted }))
            _ = try await ask(runner, id, "And now?", history)
            await runner.unload()
            return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        }
        #expect(try await keep(unwanted, limit: .max).isEmpty)
        #expect(try await keep(ids[0], limit: .max, history: []).isEmpty)
        #expect(try await keep(ids[0], limit: 1_000).isEmpty)
        #expect(try await keep(ids[0], limit: .max) == [ids[0].description])
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: folder.appending(path: "\(ids[0])").path)[.size] as? Int)
        // Other files stay, but for temporary ones that were left behind.
        let left = folder.appending(path: ".x.\(UUID().uuidString).tmp")
        for url in [left, folder.appending(path: "mine.txt")] { try Data().write(to: url) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: left.path)
        #expect(try await keep(ids[1], limit: 2 * size) == ["\(ids[0])", "\(ids[1])", "mine.txt"])
        // Reading the first one makes the second one the oldest.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: folder.appending(path: "\(ids[1])").path
        )
        #expect(try await keep(ids[2], limit: 2 * size) == ["\(ids[0])", "\(ids[2])", "mine.txt"])
        #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
    }
}
