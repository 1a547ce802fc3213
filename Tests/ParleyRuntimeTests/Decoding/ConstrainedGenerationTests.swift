// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Generation under a constraint")
struct ConstrainedGenerationTests {
    private let tokenizer: Tokenizer

    init() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        tokenizer = try Tokenizer(file.tokenizerDescription())
    }

    /// Generates a reply after a repetitive prompt, so that drafting is active. From the fourth token on every logit
    /// has the given value.
    private func finish(
        turning value: Float, sampling: SamplingOptions, constraint: SomeTokens?, drafts: Bool
    ) async throws -> (reason: Generation.FinishReason?, tokens: Int) {
        let prompt = tokenizer.encode("ABCDEFGHABCDEFGHABCDEFGH")
        let model = FailingModel(tokenizer: tokenizer, value: value, after: prompt.count + 3) { 68 + TokenID($0 % 8) }
        var generation = try Generation(
            of: ModelInput(prompt), on: try model.makeTimeline(capacity: 256), model: model, sampling: sampling,
            stop: .init(maxTokens: 20), drafts: drafts)
        if var constraint {
            while try await generation.next(under: &constraint) != nil {}
        } else {
            while try await generation.next() != nil {}
        }
        return (generation.finishReason, generation.statistics.completionTokens)
    }

    private static let samplings = [
        SamplingOptions.greedy, SamplingOptions(temperature: 1, seed: 1),
        SamplingOptions(temperature: 1, topK: 0, topP: 0.5, minP: 0, seed: 1),
    ]

    @Test("a model that computes NaN fails, with or without a constraint", arguments: samplings, [false, true])
    func noNumbers(sampling: SamplingOptions, drafts: Bool) async throws {
        for constraint in [nil, SomeTokens()] {
            let error = await #expect(throws: RuntimeError.self) {
                _ = try await finish(turning: .nan, sampling: sampling, constraint: constraint, drafts: drafts)
            }
            #expect(error?.code == .engineFailed)
        }
        let error = await #expect(throws: RuntimeError.self) {
            _ = try await finish(turning: -.infinity, sampling: sampling, constraint: nil, drafts: drafts)
        }
        #expect(error?.code == .engineFailed)
    }

    @Test(
        "if all allowed tokens have logits of minus infinity, the reply ends with reason constraint",
        arguments: samplings,
        [false, true])
    func nothingAllowed(sampling: SamplingOptions, drafts: Bool) async throws {
        let end = try await finish(
            turning: -.infinity, sampling: sampling, constraint: SomeTokens(), drafts: drafts)
        #expect(end.reason == .constraint)
        #expect(end.tokens == 3)
    }
}

/// Allows tokens from 60 to 99.
private struct SomeTokens: TokenConstraint {
    func allow(into mask: inout TokenMask) -> Bool {
        mask.insert(Array(60..<100)[...])
        return true
    }
}

/// A model whose logits all become the same value.
private struct FailingModel: TokenModel {
    let base: ScriptedModel
    let value: Float
    let position: Int

    init(tokenizer: Tokenizer, value: Float, after position: Int, next: @escaping @Sendable (Int) -> TokenID) {
        base = ScriptedModel(tokenizer: tokenizer) { next($0.count) }
        self.value = value
        self.position = position
    }

    var info: ModelDescription { base.info }
    var tokenizer: Tokenizer { base.tokenizer }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        Timeline(base: base.makeTimeline(capacity: capacity), value: value, position: position)
    }

    private final class Timeline: TokenTimeline {
        let base: any TokenTimeline
        let value: Float
        let position: Int

        init(base: any TokenTimeline, value: Float, position: Int) {
            self.base = base
            self.value = value
            self.position = position
        }

        var capacity: Int { base.capacity }
        var contents: ModelInput { base.contents }
        var rewindsExactly: Bool { true }

        func rewind(to position: Int) -> Int { base.rewind(to: position) }

        func step(_ step: TimelineStep, into output: LogitRows) async throws {
            try await base.step(step, into: output)
            for row in 0..<output.count where contents.count - output.count + row + 1 >= position {
                output[row].update(repeating: value)
            }
        }
    }
}
