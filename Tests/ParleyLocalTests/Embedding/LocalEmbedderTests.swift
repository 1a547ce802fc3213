// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyLocal
import ParleyLocalEngines
import ParleyModelFile
import ParleyModels
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Embeddings of a model on this machine")
struct LocalEmbedderTests {
    private func load(
        _ model: TinyModel = TinyModel(.bert), context: Int? = nil, name: String = "tiny.gguf"
    ) async throws -> LocalEmbedder {
        let directory = URL.temporary()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = directory.appending(path: name)
        try model.write(to: url)
        return try await LocalEmbedder.load(
            url.path, store: ModelStore(directory: directory), configuration: LocalConfiguration(contextSize: context))
    }

    @Test("Texts become vectors of length 1, each for itself, and equal texts equal ones")
    func vectors() async throws {
        let embedder = try await load()
        #expect(embedder.dimensions == 64 && embedder.contextSize == 512 && embedder.info.architecture == "bert")
        let texts = (0..<600).map { "hello world " + String(repeating: "s", count: $0 % 7) }
        let all = try await embedder.embed(texts)
        #expect(all.count == 600)
        #expect(all.allSatisfy { abs($0.similarity(to: $0) - 1) < 1e-5 && !$0.isTruncated })
        #expect(all[0].tokenCount == 4)
        for index in 7..<600 { #expect(all[index] == all[index % 7]) }
        #expect(all[0] != all[1])
        #expect(try await embedder.embed([texts[3]]) == [all[3]])
        #expect(try await embedder.embed([]).isEmpty)
        #expect(all[0].similarity(to: Embedding(vector: [1], tokenCount: 1)) == 0)
    }

    @Test("The tokens of a text give its vector")
    func tokens() async throws {
        let embedder = try await load()
        let text = try await embedder.embed(["b"])
        #expect(try await embedder.embed([.tokens([2, 6, 3])], truncates: false) == text)
        for tokens in [[], [99_999]] as [[Int32]] {
            let error = await #expect(throws: ConversationError.self) {
                try await embedder.embed([.tokens(tokens)], truncates: false)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("A text that is too long is refused with its length, and cut if that is asked for")
    func longTexts() async throws {
        let embedder = try await load(context: 128)
        let texts = ["a", String(repeating: "a ", count: 300)]
        let error = await #expect(throws: ConversationError.self) { try await embedder.embed(texts) }
        #expect(error?.code == .promptExceedsContext)
        #expect(error?.promptTokens == 302 && error?.contextTokens == 128)
        #expect(error?.message.contains("Text 2 has 302 tokens") == true)
        let cut = try await embedder.embed(texts, truncates: true)
        #expect(cut.map(\.isTruncated) == [false, true])
        #expect(cut.map(\.tokenCount) == [3, 128])
        #expect(try await embedder.embed([String(repeating: "a ", count: 126)])[0].vector == cut[1].vector)
    }

    @Test("After unloading, calls say so")
    func unloading() async throws {
        let embedder = try await load()
        _ = try await embedder.embed(["a"])
        await embedder.unload()
        await embedder.unload()
        let error = await #expect(throws: ConversationError.self) { try await embedder.embed(["a"]) }
        #expect(error?.code == .modelNotLoaded)
    }

    @Test("A cancelled call ends")
    func cancelling() async throws {
        let embedder = try await load()
        let text = String(repeating: "hello world ", count: 200)
        let task = Task { try await embedder.embed(Array(repeating: text, count: 50_000)) }
        _ = try await embedder.embed(["a"])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A model that writes makes no embeddings, and one that makes embeddings does not chat")
    func otherModels() async throws {
        let error = await #expect(throws: ConversationError.self) { try await load(TinyModel(.llama)) }
        #expect(error?.code == .modelLoadingFailed)
        #expect(error?.message.contains("llama") == true)
        let url = URL.temporary(".gguf")
        try TinyModel(.bert).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let chatting = await #expect(throws: ConversationError.self) {
            try await LocalModelRunner.load(url.path, store: ModelStore(directory: .temporary()))
        }
        #expect(chatting?.code == .modelLoadingFailed)
        #expect(chatting?.message.contains("encoder") == true && chatting?.message.contains("parley embed") == true)
    }

    @Test("An engine without embeddings is passed over, and one that is named says it makes none")
    func choosing() throws {
        let url = URL.temporary(".gguf")
        try TinyModel(.bert).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let other = EngineDescriptor(name: "other", formats: [.gguf]) { _, _, _ in
            throw RuntimeError(.unsupported, "made up")
        }
        let choice = try EngineChoice(for: url, among: [other, .native], needed: .embeddings)
        #expect(choice.engine.name == "native" && choice.passedOver.map(\.engine) == ["other"])
        let error = #expect(throws: ConversationError.self) {
            try EngineChoice(.named("other"), for: url, among: [other, .native], needed: .embeddings)
        }
        #expect(error?.message.contains("no embeddings") == true)
    }
}
