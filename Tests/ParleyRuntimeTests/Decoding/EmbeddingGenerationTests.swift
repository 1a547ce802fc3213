// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Generation from prompts with embeddings")
struct EmbeddingGenerationTests {
    private let tokenizer: Tokenizer
    private let red = InputEmbedding(identity: [1], count: 20, payload: "red")
    private let blue = InputEmbedding(identity: [2], count: 20, payload: "blue")

    init() throws {
        tokenizer = try Tokenizer(GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription())
    }

    /// What a model has run, in order.
    private final class Record: Sendable {
        let parts = Mutex<[ModelInput.Part]>([])

        func take() -> [ModelInput.Part] {
            parts.withLock { parts in
                defer { parts = [] }
                return parts
            }
        }
    }

    /// Replies with token 70 after every prompt.
    private func model(_ record: Record) -> ScriptedModel {
        ScriptedModel(
            tokenizer: tokenizer,
            beforeStep: { step in record.parts.withLock { $0.append(.tokens(step.tokens[...])) } },
            beforeEmbedding: { embedding in record.parts.withLock { $0.append(.embedding(embedding)) } },
            next: { _ in 70 })
    }

    private func prompt(_ parts: ModelInput.Part...) -> ModelInput {
        parts.reduce(into: ModelInput()) { $0.append($1) }
    }

    private func run(
        _ prompt: ModelInput, on timeline: any TokenTimeline, _ model: ScriptedModel
    ) async throws -> Generation {
        var generation = try Generation(
            of: prompt, on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: 1))
        while try await generation.next() != nil {}
        return generation
    }

    @Test("each embedding is a step of its own, in its place; the same one is not run again")
    func reuses() async throws {
        let record = Record()
        let model = model(record)
        let timeline = model.makeTimeline(capacity: 256)
        let first = prompt(.tokens([60, 61]), .embedding(red), .tokens([62]))
        #expect(try await run(first, on: timeline, model).statistics.promptTokens == 23)
        #expect(record.take() == first.parts)
        // The next turn: the same image, made anew, and a second one.
        let again = InputEmbedding(identity: red.identity, count: red.count, payload: "another copy")
        let second = prompt(
            .tokens([60, 61]), .embedding(again), .tokens([62, 63]), .embedding(blue), .tokens([64]))
        let generation = try await run(second, on: timeline, model)
        #expect(generation.statistics.promptTokens == 45)
        #expect(generation.statistics.cachedPromptTokens == 23)
        #expect(record.take() == [.tokens([63]), .embedding(blue), .tokens([64])])
        #expect(timeline.contents == second)
    }

    @Test("an image in another's place is run, and so is all that follows")
    func otherImage() async throws {
        let record = Record()
        let model = model(record)
        let others = [blue, InputEmbedding(identity: red.identity, count: 19, payload: "other size")]
        for other in others {
            let timeline = model.makeTimeline(capacity: 256)
            _ = try await run(prompt(.tokens([60]), .embedding(red), .tokens([62, 63])), on: timeline, model)
            _ = record.take()
            let second = prompt(.tokens([60]), .embedding(other), .tokens([62, 63]))
            let generation = try await run(second, on: timeline, model)
            #expect(generation.statistics.cachedPromptTokens == 1)
            #expect(record.take() == [.embedding(other), .tokens([62, 63])])
            #expect(timeline.contents == second)
        }
    }

    @Test("a reply that is cancelled inside an image leaves none of it, and the prompt can be run again")
    func cancelled() async throws {
        let cancels = Mutex(true)
        let record = Record()
        let model = ScriptedModel(
            tokenizer: tokenizer,
            beforeStep: { step in record.parts.withLock { $0.append(.tokens(step.tokens[...])) } },
            beforeEmbedding: { [blue] embedding in
                record.parts.withLock { $0.append(.embedding(embedding)) }
                guard embedding == blue, cancels.withLock({ $0 }) else { return }
                withUnsafeCurrentTask { $0?.cancel() }
            }, next: { _ in 70 })
        let timeline = model.makeTimeline(capacity: 256)
        let both = prompt(.tokens([60]), .embedding(red), .tokens([61]), .embedding(blue), .tokens([62]))
        let task = Task { try await run(both, on: timeline, model).finishReason }
        #expect(try await task.value == .cancelled)
        #expect(timeline.contents == prompt(.tokens([60]), .embedding(red), .tokens([61])))
        cancels.withLock { $0 = false }
        _ = record.take()
        let generation = try await run(both, on: timeline, model)
        #expect(generation.finishReason == .length)
        #expect(generation.statistics.cachedPromptTokens == 22)
        #expect(record.take() == [.embedding(blue), .tokens([62])])
    }

    @Test("tokens that repeat across an image are guessed without it, and the reply is the same")
    func drafts() async throws {
        let phrase = (60..<72).map { TokenID($0) }
        let model = ScriptedModel(tokenizer: tokenizer) { tokens in phrase[tokens.count % phrase.count] }
        let input = prompt(.tokens(phrase[...]), .embedding(red), .tokens((phrase + phrase)[...]))
        var replies: [[TokenID]] = []
        for drafts in [false, true] {
            let timeline = model.makeTimeline(capacity: 256)
            var generation = try Generation(
                of: input, on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: 40), drafts: drafts)
            var reply: [TokenID] = []
            while let token = try await generation.next() { reply.append(token) }
            #expect(timeline.contents.commonPrefix(with: input) == input.count)
            #expect((generation.guesses.right > 0) == drafts)
            replies.append(reply)
        }
        #expect(replies[0].count == 40)
        #expect(replies[0] == replies[1])
    }

    @Test("a prompt that ends with an image is refused, and the timeline is untouched")
    func endsWithImage() async throws {
        let model = model(Record())
        let timeline = model.makeTimeline(capacity: 256)
        let error = #expect(throws: RuntimeError.self) {
            try Generation(of: prompt(.tokens([60]), .embedding(red)), on: timeline, model: model)
        }
        #expect(error?.code == .invalidInput)
        #expect(timeline.contents.isEmpty)
    }

    @Test("an image that leaves no room for a reply is refused with both sizes")
    func tooLarge() async throws {
        let model = model(Record())
        let error = #expect(throws: RuntimeError.self) {
            try Generation(
                of: prompt(.embedding(red), .tokens([60])), on: model.makeTimeline(capacity: 21), model: model)
        }
        #expect(error?.code == .contextExceeded)
        #expect(error?.message.contains("21") == true)
    }
}
