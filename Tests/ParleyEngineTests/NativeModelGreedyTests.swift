// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyRuntime
import ParleyTestSupport
import ParleyTokenizer
import Testing

@Suite("Greedy continuations", .enabled(if: GreedyModel.all.count == 2, References.hint))
struct NativeModelGreedyTests {
    /// The standard deviation, between the engines, of the difference of two candidates' log probabilities.
    ///
    /// Both round activations to 8 bits. Half the variance of a logit's error is about KL(exact ‖ engine): 5.9e-3 for
    /// Gemma with llama.cpp and 2.8e-3 with this engine, 3.7e-3 for SmolLM2 with either. Two engines and two candidates
    /// give twice the sum of both variances, 0.035 and 0.030.
    private static let noise = 0.19

    /// All steps run through the model at once, with llama.cpp's tokens as input. Up to the first difference these are
    /// Parley's own continuation, because logits do not depend on how a sequence is split into steps. After it, they
    /// are a test with input that Parley's greedy decoding would not have produced.
    @Test("the likeliest tokens are llama.cpp's, or as likely within the noise", arguments: GreedyModel.all)
    func matchesReference(model file: GreedyModel) async throws {
        let model = try await NativeModel.load(References.url(file.file), configuration: .init(context: 512))
        let timeline = try model.makeTimeline()
        let output = LogitRows()
        for prompt in try References.golden(file.golden, as: GreedyGolden.self).prompts {
            timeline.rewind(to: 0)
            try await timeline.step(TimelineStep(tokens: prompt.ids.dropLast(), positions: .none), into: output)
            let tokens = [prompt.ids.last ?? 0] + prompt.steps.dropLast().map(\.best)
            try await timeline.step(TimelineStep(tokens: tokens, positions: .all), into: output)
            for (index, step) in prompt.steps.enumerated() {
                let own = likeliest(output[index])
                guard own != step.best else { continue }
                let recordedLead = step.bestLog - step.secondLog
                let ownLead = Double(output[index][Int(own)] - output[index][Int(step.best)])
                // Candidates within two standard deviations may be swapped, and few differences exceed four.
                #expect(recordedLead < 2 * Self.noise, "“\(prompt.prompt)”, step \(index)")
                #expect(recordedLead + ownLead < 4 * Self.noise, "“\(prompt.prompt)”, step \(index)")
            }
        }
    }

    @Test("a generation produces the likeliest token at each step")
    func generatesLikeliest() async throws {
        let file = GreedyModel.smolLM2
        let model = try await NativeModel.load(References.url(file.file), configuration: .init(context: 256))
        let prompt = try #require(References.golden(file.golden, as: GreedyGolden.self).prompts.first)
        let timeline = try model.makeTimeline()
        var generation = try Generation(
            of: ModelInput(prompt.ids), on: timeline, model: model,
            sampling: .init(temperature: 0, repetitionPenalty: 1),
            stop: .init(maxTokens: 32))
        while try await generation.next() != nil {}
        let held = timeline.contents.tokens
        let output = LogitRows()
        let again = try model.makeTimeline()
        try await again.step(TimelineStep(tokens: held, positions: .all), into: output)
        for position in prompt.ids.count..<held.count {
            #expect(likeliest(output[position - 1]) == held[position])
        }
        #expect(held.count >= prompt.ids.count + 16)
    }

    private func likeliest(_ logits: UnsafeMutableBufferPointer<Float>) -> TokenID {
        TokenID(logits.indices.max { logits[$0] < logits[$1] } ?? 0)
    }
}
