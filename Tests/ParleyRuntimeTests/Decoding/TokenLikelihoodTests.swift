// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("TokenLikelihood")
struct TokenLikelihoodTests {
    private func likelihood(of token: TokenID, _ logits: [Float], top: Int) -> TokenLikelihood {
        var logits = logits
        return logits.withUnsafeMutableBufferPointer { TokenLikelihood(of: token, in: $0, top: top) }
    }

    @Test("the logarithms are those of the softmax, the most likely first")
    func softmax() throws {
        let weights = [0.5, 0.25, 0.2, 0.05]
        let found = likelihood(of: 2, weights.map { Float(log($0)) + 7 }, top: 3)
        #expect(abs(exp(Double(found.chosen.logprob)) - 0.2) < 1e-6)
        #expect(found.chosen.token == 2)
        #expect(found.top.map(\.token) == [0, 1, 2])
        for (candidate, weight) in zip(found.top, weights) {
            #expect(abs(exp(Double(candidate.logprob)) - weight) < 1e-6)
        }
    }

    @Test("of many tokens the same are most likely as by sorting, and equals come by id")
    func sorting() {
        var random = SplitMix64(seed: 5)
        for count in [1, 5, 20] {
            let logits = (0..<1_000).map { _ in Float(Int.random(in: 0..<60, using: &random)) / 8 }
            let sorted = logits.indices.sorted { (-logits[$0], $0) < (-logits[$1], $1) }.prefix(count)
            #expect(likelihood(of: 0, logits, top: count).top.map { Int($0.token) } == Array(sorted))
        }
        #expect(likelihood(of: 0, [1, 2], top: 0).top == [])
        #expect(likelihood(of: 0, [1, 2], top: 5).top.count == 2)
    }

    @Test("the probabilities of a large vocabulary are exact", arguments: [1, 255, 50_001])
    func manyTokens(count: Int) {
        var random = SplitMix64(seed: 9)
        var logits = (0..<count).map { _ in Float(random.unit() * 60 - 50) }
        if count > 2 { (logits[0], logits[1]) = (.nan, -.infinity) }
        let numbers = logits.filter { $0 > -.infinity }.map { Double($0) }
        let largest = numbers.max() ?? 0
        let exact = numbers[numbers.count - 1] - largest - log(numbers.reduce(0) { $0 + exp($1 - largest) })
        let found = Double(likelihood(of: TokenID(count - 1), logits, top: 0).chosen.logprob)
        #expect(abs(found - exact) < 1e-6 * max(1, abs(exact)))
    }

    @Test("what cannot come has a probability of zero")
    func impossible() {
        let found = likelihood(of: 1, [0, -.infinity, .nan], top: 3)
        #expect(found.chosen.logprob == -.infinity)
        #expect(found.top.map(\.token) == [0] && found.top[0].logprob == 0)
    }

    @Test("where logits are infinite, the largest share all of the probability")
    func infinite() {
        let found = likelihood(of: 2, [0, .infinity, .infinity, -.infinity], top: 4)
        #expect(abs(Double(found.chosen.logprob) + log(2)) < 1e-6)
        #expect(found.top.map(\.token) == [1, 2, 0])
        #expect(found.top.last?.logprob == -.infinity)
    }

    @Test("a generation tells the likelihood of each token as the model has it, whatever is drawn by")
    func generation() async throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let tokenizer = try Tokenizer(file.tokenizerDescription())
        let prompt = tokenizer.encode("Question: ")
        let model = ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode("Hello"), after: prompt.count)
        var sampling = SamplingOptions.greedy
        let other = TokenID(5)
        sampling.logitBias = [other: 100]
        func likelihoods(_ count: Int?) async throws -> [TokenLikelihood?] {
            var generation = try Generation(
                of: ModelInput(prompt), on: model.makeTimeline(capacity: 64), model: model, sampling: sampling,
                stop: StopRules(maxTokens: 2), likelyTokens: count)
            var found: [TokenLikelihood?] = []
            while try await generation.next() != nil { found.append(generation.likelihood) }
            return found
        }
        #expect(try await likelihoods(nil) == [nil, nil])
        let first = try #require(try await likelihoods(1).first ?? nil)
        #expect(first.chosen.token == other)
        #expect(first.top.map(\.token) == [tokenizer.encode("Hello")[0]])
        #expect(first.chosen.logprob < first.top[0].logprob)
    }

    @Test("a prompt is scored token by token, as the steps of a generation would")
    func prompt() async throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let tokenizer = try Tokenizer(file.tokenizerDescription())
        let text = tokenizer.encode(String(repeating: "Hello, world. ", count: 12))
        let model = ScriptedModel(tokenizer: tokenizer, saying: Array(text.dropFirst()), after: 1)
        let read = try await PromptLikelihood.read(text, on: model.makeTimeline(capacity: 512), top: 1)
        #expect(read.map(\.chosen.token) == Array(text.dropFirst()))
        #expect(read.allSatisfy { $0.chosen == $0.top.first })
        #expect(try await PromptLikelihood.read([5], on: model.makeTimeline(capacity: 8), top: 1) == [])
    }

    @Test("the steps over a prompt that is scored say whose it is and what follows, and the caller may end them")
    func promptSteps() async throws {
        struct Enough: Error {}
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let steps = Mutex<[TimelineStep]>([])
        let model = ScriptedModel(
            tokenizer: try Tokenizer(file.tokenizerDescription()),
            beforeStep: { step in steps.withLock { $0.append(step) } }, next: { _ in 5 })
        let tokens = Array(repeating: TokenID(70), count: 100)
        var checks = 0
        await #expect(throws: Enough.self) {
            try await PromptLikelihood.read(
                tokens, on: model.makeTimeline(capacity: 512), top: 0, client: 7,
                check: {
                    checks += 1
                    if checks > 2 { throw Enough() }
                })
        }
        #expect(steps.withLock { $0.map(\.following) } == [67, 35])
        #expect(steps.withLock { $0.allSatisfy { $0.client == 7 } })
    }
}
