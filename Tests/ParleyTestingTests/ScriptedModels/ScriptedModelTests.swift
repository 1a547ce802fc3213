// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("ScriptedModel")
struct ScriptedModelTests {
    private let tokenizer: Tokenizer

    init() throws {
        tokenizer = try Tokenizer(
            GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription())
    }

    @Test("it says its reply after the prompt, and ends")
    func saying() async throws {
        let prompt = tokenizer.encode("the world")
        let model = ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode("hello"), after: prompt.count)
        var generation = try Generation(
            of: ModelInput(prompt), on: model.makeTimeline(capacity: 64), model: model, sampling: .greedy)
        var reply: [TokenID] = []
        while let token = try await generation.next() { reply.append(token) }
        #expect(tokenizer.decode(reply) == "hello")
        #expect(generation.finishReason == .stop)
    }

    @Test("rows of logits are those that a step asks for, and a full context is an error")
    func steps() async throws {
        let model = ScriptedModel(tokenizer: tokenizer) { _ in 7 }
        let timeline = model.makeTimeline(capacity: 4)
        let output = LogitRows()
        for (positions, count) in [(TimelineStep.Positions.none, 0), (.last, 1), (.all, 2)] {
            #expect(timeline.rewind(to: 0) == 0)
            try await timeline.step(TimelineStep(tokens: [1, 2], positions: positions), into: output)
            #expect(output.count == count)
            for row in 0..<count { #expect(Sampler.largest(output[row]) == 7) }
        }
        await #expect(throws: RuntimeError.self) {
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: output)
        }
        #expect(timeline.contents.tokens == [1, 2])
    }
}
