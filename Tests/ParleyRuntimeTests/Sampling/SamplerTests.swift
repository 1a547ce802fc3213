// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Sampler")
struct SamplerTests {
    private func sample(_ logits: [Float], _ sampler: inout Sampler, mask: TokenMask? = nil) -> TokenID? {
        var logits = logits
        return logits.withUnsafeMutableBufferPointer { sampler.sample($0, mask: mask) }
    }

    /// How often each token is drawn.
    private func shares(_ logits: [Float], _ options: SamplingOptions, draws: Int = 40_000) throws -> [Double] {
        var sampler = try Sampler(options)
        var counts = Array(repeating: 0, count: logits.count)
        for _ in 0..<draws { counts[Int(try #require(sample(logits, &sampler)))] += 1 }
        return counts.map { Double($0) / Double(draws) }
    }

    private static func options(
        temperature: Float = 1, topK: Int = 0, topP: Float = 1, minP: Float = 0, penalty: Float = 1
    ) -> SamplingOptions {
        SamplingOptions(
            temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: penalty, seed: 7)
    }

    @Test("temperature 0 takes the likeliest token, the first of equals")
    func greedy() throws {
        var sampler = try Sampler(.greedy)
        #expect(sample([0, 3, 3, -1], &sampler) == 1)
    }

    @Test("without filters tokens come as often as the softmax says")
    func softmax() throws {
        let weights = [0.5, 0.25, 0.2, 0.05]
        let drawn = try shares(weights.map { Float(log($0)) }, Self.options())
        for (share, weight) in zip(drawn, weights) { #expect(abs(share - weight) < 0.015) }
    }

    @Test("without filters a seed draws by the sums of the weights in the order of the tokens")
    func unfiltered() throws {
        var random = SplitMix64(seed: 21)
        var logits = (0..<5_000).map { _ in Float(random.unit() * 20 - 12) }
        (logits[3], logits[900], logits[4_999]) = (.nan, -.infinity, .nan)
        let candidates = logits.indices.filter { logits[$0] > -.infinity }
        let largest = try #require(candidates.map { logits[$0] }.max())
        let temperature: Float = 0.7
        let weights = candidates.map { Double(exp((logits[$0] - largest) / temperature)) }
        let sum = weights.reduce(0, +)
        for topK in [0, 5_000] {
            var sampler = try Sampler(Self.options(temperature: temperature, topK: topK))
            var units = SplitMix64(seed: 7)
            for _ in 0..<200 {
                var rest = units.unit() * sum
                var expected: Int?
                for (token, weight) in zip(candidates, weights) where expected == nil {
                    rest -= weight
                    if rest < 0 { expected = token }
                }
                #expect(sample(logits, &sampler).map { Int($0) } == expected)
            }
        }
    }

    @Test("temperature sharpens or flattens the distribution")
    func temperature() throws {
        // Weights 4 : 1 become 16 : 1 at half the temperature and 2 : 1 at twice.
        let logits: [Float] = [1.3862944, 0]
        #expect(abs(try shares(logits, Self.options(temperature: 0.5))[0] - 16.0 / 17) < 0.015)
        #expect(abs(try shares(logits, Self.options(temperature: 2))[0] - 2.0 / 3) < 0.015)
    }

    @Test("top-k keeps the k likeliest", arguments: [1, 2, 3])
    func topK(k: Int) throws {
        let drawn = try shares([1, 0.5, 2, 1.5], Self.options(topK: k))
        let expected = [[2], [2, 3], [2, 3, 0]][k - 1]
        for token in 0..<4 { #expect((drawn[token] > 0) == expected.contains(token)) }
    }

    @Test("top-p keeps the smallest set that reaches it, at least one")
    func topP() throws {
        let logits = [0.5, 0.3, 0.15, 0.05].map { Float(log($0)) }
        #expect(try shares(logits, Self.options(topP: 0.7)).filter { $0 > 0 }.count == 2)
        #expect(try shares(logits, Self.options(topP: 0.85)).filter { $0 > 0 }.count == 3)
        #expect(try shares(logits, Self.options(topP: 0.01)).filter { $0 > 0 }.count == 1)
        #expect(try shares(logits, Self.options(topP: 0)).filter { $0 > 0 }.count == 1)
        #expect(try shares(logits, Self.options(topK: 3, topP: 0)).filter { $0 > 0 }.count == 1)
    }

    @Test("min-p keeps what is likely enough beside the likeliest")
    func minP() throws {
        let logits = [0.5, 0.3, 0.15, 0.05].map { Float(log($0)) }
        #expect(try shares(logits, Self.options(minP: 0.2)).filter { $0 > 0 }.count == 3)
        #expect(try shares(logits, Self.options(minP: 1)).filter { $0 > 0 }.count == 1)
    }

    @Test("filters look at the distribution before temperature")
    func order() throws {
        let logits = [0.6, 0.4].map { Float(log($0)) }
        // At temperature 100 both are near one half, so 0.55 would need both if temperature came first.
        #expect(try shares(logits, Self.options(temperature: 100, topP: 0.55)).filter { $0 > 0 }.count == 1)
    }

    @Test("the penalty makes recent tokens less likely, once however often they came")
    func penalty() throws {
        var sampler = try Sampler(Self.options(temperature: 0, penalty: 2))
        for _ in 0..<3 { sampler.accept(0) }
        #expect(sample([3, 2, -1], &sampler) == 1)
        #expect(sample([5, 2, -1], &sampler) == 0)
        sampler.accept(2)
        #expect(sample([-3, -1, -0.6], &sampler) == 1)
    }

    @Test("the penalty forgets what has left its window")
    func penaltyWindow() throws {
        var options = Self.options(temperature: 0, penalty: 2)
        options.penaltyWindow = 2
        var sampler = try Sampler(options)
        sampler.accept(0)
        sampler.accept(1)
        #expect(sample([3, 2, 2.5], &sampler) == 2)
        sampler.accept(1)
        #expect(sample([3, 2, 2.5], &sampler) == 0)
    }

    @Test("a mask leaves nothing else, whatever the other options", arguments: [0, 1] as [Float])
    func mask(temperature: Float) throws {
        var mask = TokenMask(vocabularySize: 4)
        mask[3] = true
        var sampler = try Sampler(Self.options(temperature: temperature, topK: 1))
        #expect(sample([5, 4, 3, -20], &sampler, mask: mask) == 3)
    }

    /// One set of options for each way through the sampler.
    private static let ways = [
        options(temperature: 0), options(), options(topK: 2), options(topK: 1), options(topP: 0.5),
        options(topK: 3, topP: 0.5), options(minP: 0.1), options(topK: 3, topP: 0.9, minP: 0.1, penalty: 1.5),
    ]

    @Test("if no allowed token has a valid logit, no token is drawn", arguments: ways)
    func nothingLeft(options: SamplingOptions) throws {
        var mask = TokenMask(vocabularySize: 40)
        mask[3] = true
        mask[20] = true
        for impossible: Float in [.nan, -.infinity, -.nan] {
            var sampler = try Sampler(options)
            sampler.accept(3)
            #expect(sample(Array(repeating: impossible, count: 40), &sampler) == nil)
            var logits = Array(repeating: Float(1), count: 40)
            logits[3] = impossible
            logits[20] = impossible
            #expect(sample(logits, &sampler, mask: mask) == nil)
            logits[20] = -30
            #expect(sample(logits, &sampler, mask: mask) == 20)
        }
        var sampler = try Sampler(options)
        #expect(sample([], &sampler) == nil)
        #expect(sample([1, 2], &sampler, mask: TokenMask(vocabularySize: 2)) == nil)
    }

    @Test("an infinite logit is the likeliest, and NaN is ignored", arguments: ways)
    func infinite(options: SamplingOptions) throws {
        var sampler = try Sampler(options)
        for _ in 0..<20 {
            #expect(sample([.nan, 3, .infinity, 5, .nan, -.infinity], &sampler) == 2)
            #expect(sample([.nan, -3, -.infinity], &sampler) == 1)
        }
    }

    @Test("the same seed gives the same draws, another seed others")
    func seed() throws {
        func draws(_ seed: UInt64) throws -> [TokenID?] {
            var sampler = try Sampler(SamplingOptions(repetitionPenalty: 1, seed: seed))
            return (0..<50).map { _ in sample([1, 1.1, 0.9, 1, 1.2], &sampler) }
        }
        #expect(try draws(1) == draws(1))
        #expect(try draws(1) != draws(2))
    }

    @Test("a randomly chosen seed can be read")
    func openSeed() throws {
        let first = try Sampler(SamplingOptions())
        let second = try Sampler(SamplingOptions())
        #expect(first.seed != second.seed)
    }

    @Test(
        "options out of range are refused by name",
        arguments: [
            ("temperature", SamplingOptions(temperature: -1)), ("temperature", SamplingOptions(temperature: .nan)),
            ("top-k", SamplingOptions(topK: -1)), ("top-p", SamplingOptions(topP: -1)),
            ("min-p", SamplingOptions(minP: 1.5)), ("repetition penalty", SamplingOptions(repetitionPenalty: 0)),
            ("window", SamplingOptions(penaltyWindow: -1)),
        ])
    func outOfRange(name: String, options: SamplingOptions) {
        let error = #expect(throws: RuntimeError.self) { try Sampler(options) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains(name) == true)
    }

    @Test(
        "options at the ends of their ranges draw tokens",
        arguments: [
            SamplingOptions(temperature: .greatestFiniteMagnitude),
            SamplingOptions(temperature: .leastNonzeroMagnitude),
            SamplingOptions(topK: .max), SamplingOptions(topK: 1), SamplingOptions(topP: 0),
            SamplingOptions(minP: 1), SamplingOptions(repetitionPenalty: .leastNonzeroMagnitude),
            SamplingOptions(repetitionPenalty: .greatestFiniteMagnitude), SamplingOptions(penaltyWindow: .max),
            SamplingOptions(penaltyWindow: 0), SamplingOptions(seed: .max), SamplingOptions(seed: 0),
        ])
    func extremes(options: SamplingOptions) throws {
        var sampler = try Sampler(options)
        for token: TokenID in [0, 1, 0, .max, .min, -1] { sampler.accept(token) }
        for _ in 0..<50 {
            let token = try #require(sample([1, -2, 3, 0.5, 0, -0.5], &sampler))
            #expect((0..<6).contains(token))
            sampler.accept(token)
        }
    }

    @Test(
        "the penalty of a long window weighs each token once, and as a short one does", arguments: [3, 64, 1_500, .max])
    func longWindow(window: Int) throws {
        var random = SplitMix64(seed: 3)
        let tokens = (0..<2_000).map { _ in TokenID(Int.random(in: 0..<300, using: &random)) }
        let recent = Set(tokens.suffix(window))
        var options = Self.options(temperature: 0, penalty: 2)
        options.penaltyWindow = window
        var sampler = try Sampler(options)
        for token in tokens { sampler.accept(token) }
        var logits = (0..<300).map { Float($0 + 1) }
        _ = logits.withUnsafeMutableBufferPointer { sampler.sample($0) }
        for token in 0..<300 {
            #expect(logits[token] == Float(token + 1) / (recent.contains(TokenID(token)) ? 2 : 1))
        }
    }

    @Test("top-k by selection equals top-k by sorting on random logits")
    func selection() throws {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<50 {
            let logits = (0..<300).map { _ in Float(Int.random(in: 0..<40, using: &generator)) / 8 }
            let k = Int.random(in: 1...299, using: &generator)
            let kept = Set(
                logits.indices.sorted { (-logits[$0], $0) < (-logits[$1], $1) }.prefix(k).map { TokenID($0) })
            var sampler = try Sampler(Self.options(temperature: 50, topK: k))
            for _ in 0..<200 { #expect(kept.contains(sample(logits, &sampler) ?? -1)) }
        }
    }

    @Test(
        "top-p and min-p keep what they are defined to, however far apart the logits are",
        arguments: [0.5, 3, 12, 40] as [Float])
    func filters(spread: Float) throws {
        var generator = SplitMix64(seed: 11)
        for (topP, minP) in [(0.3, 0), (0.9, 0), (0.9999, 0), (0.99999994, 0), (0.8, 0.02), (1, 1e-9), (0.5, 0.3)]
            as [(Float, Float)]
        {
            let logits = (0..<60).map { _ in spread * (Float(generator.unit()) - 0.5) + 3 }
            let largest = try #require(logits.max())
            let weights = logits.map { exp(Double($0 - largest)) }
            let order = logits.indices.sorted { logits[$0] > logits[$1] }
            var (kept, sum) = (Set<TokenID>(), 0.0)
            for token in order where weights[token] >= Double(minP) {
                if topP < 1, sum >= Double(topP) * weights.reduce(0, +) { break }
                kept.insert(TokenID(token))
                sum += weights[token]
            }
            var sampler = try Sampler(Self.options(temperature: 50, topP: topP, minP: minP))
            var drawn = Set<TokenID>()
            for _ in 0..<4000 { drawn.insert(try #require(sample(logits, &sampler))) }
            #expect(drawn == kept, "\(topP), \(minP)")
        }
    }

    @Test("the frequency penalty counts how often the reply has a token, the presence penalty that it has it")
    func replyPenalties() throws {
        func logits(_ options: SamplingOptions) throws -> [Float] {
            var sampler = try Sampler(options)
            // The prompt's tokens do not count.
            for token: TokenID in [0, 1, 3] { sampler.accept(token) }
            for token: TokenID in [1, 2, 2, 2] { sampler.accept(token, isReply: true) }
            var logits: [Float] = [5, 5, 5, 5]
            _ = logits.withUnsafeMutableBufferPointer { sampler.sample($0) }
            return logits
        }
        var options = SamplingOptions.greedy
        #expect(try logits(options) == [5, 5, 5, 5])
        options.frequencyPenalty = 0.5
        #expect(try logits(options) == [5, 4.5, 3.5, 5])
        options.presencePenalty = 1
        #expect(try logits(options) == [5, 3.5, 2.5, 5])
        options.frequencyPenalty = -2
        #expect(try logits(options) == [5, 6, 10, 5])
    }

    @Test("a bias is added to a token's logit, and one of a token that the model does not have is nothing")
    func bias() throws {
        var options = SamplingOptions.greedy
        options.logitBias = [0: -100, 2: 4, 900: 100]
        var sampler = try Sampler(options)
        #expect(sample([50, 3, 0, 1], &sampler) == 2)
        options.logitBias = [1: 101]
        #expect(throws: RuntimeError.self) { try Sampler(options) }
        options.logitBias = nil
        options.presencePenalty = 2.5
        #expect(throws: RuntimeError.self) { try Sampler(options) }
    }
}
