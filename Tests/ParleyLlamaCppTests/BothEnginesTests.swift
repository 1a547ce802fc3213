// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyEngine
    import ParleyEngineCases
    import ParleyLlamaCpp
    import ParleyModelFile
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite("Both engines in one process")
    struct BothEnginesTests {
        /// The first difference of two greedy replies to a prompt.
        private struct Parting {
            /// The number of equal tokens before it.
            let position: Int
            /// The difference of the logits of the two tokens in each engine.
            let gaps: (native: Float, llamaCpp: Float)
        }

        /// Generates greedy replies in both engines and finds their first difference.
        private func parting(
            _ prompt: [TokenID], _ native: any TokenTimeline, _ llamaCpp: any TokenTimeline, tokens: Int
        ) async throws -> Parting? {
            let (left, right) = (LogitRows(), LogitRows())
            var next = prompt
            native.rewind(to: 0)
            llamaCpp.rewind(to: 0)
            for position in 0..<tokens {
                let step = TimelineStep(tokens: next)
                async let first: Void = native.step(step, into: left)
                async let second: Void = llamaCpp.step(step, into: right)
                _ = try await (first, second)
                let (a, b) = (Sampler.largest(left[0]) ?? 0, Sampler.largest(right[0]) ?? 0)
                if a != b {
                    let gaps = (left[0][Int(a)] - left[0][Int(b)], right[0][Int(b)] - right[0][Int(a)])
                    return Parting(position: position, gaps: gaps)
                }
                next = [a]
            }
            return nil
        }

        @Test("a model in F32 gives the same greedy tokens for ten prompts, unless rounding in the f16 caches decides")
        func tiny() async throws {
            let writer = TinyModel().writer()
            let native = try await withModelFile(writer) {
                try await NativeModel.load($0, configuration: .init(threads: 1))
            }
            let llamaCpp = try await LlamaCppModel.load(writer)
            let timelines = (try native.makeTimeline(), try llamaCpp.makeTimeline(capacity: 512))
            for seed in 1...10 {
                let prompt = randomTokens(20, vocabulary: native.info.vocabularySize, seed: UInt64(seed))
                let parting = try await parting(prompt, timelines.0, timelines.1, tokens: 100)
                guard let parting else { continue }
                #expect(max(parting.gaps.native, parting.gaps.llamaCpp) < 0.02, "prompt \(seed): \(parting)")
            }
        }

        @Test(
            "the default model in F16 gives the same text for ten prompts",
            .enabled(if: References.has(References.defaultModel), References.hint))
        func halfPrecision() async throws {
            let file = try GGUFFile(contentsOf: References.url(References.defaultModel))
            let (native, llamaCpp) = try await withModelFile(GGUFWriter(halfPrecisionOf: file)) { url in
                let native = try await NativeModel.load(url, configuration: .init(context: 256))
                return (native, try await LlamaCppModel.load(url, configuration: .init(context: 256, sequences: 1)))
            }
            let timelines = (try native.makeTimeline(), try llamaCpp.makeTimeline(capacity: 256))
            for prompt in try prompts() {
                let tokens = native.tokenizer.encode(prompt)
                let parting = try await parting(tokens, timelines.0, timelines.1, tokens: 40)
                if let parting { Issue.record("\(prompt): \(parting)") }
            }
        }

        private func prompts() throws -> [String] {
            let lines = try String(contentsOf: References.prompts, encoding: .utf8).split(separator: "\n")
            try #require(lines.count >= 10)
            return lines.prefix(10).map(String.init)
        }

        @Test(
            "the default model's replies to ten prompts differ only where two tokens are about equally likely",
            .enabled(if: References.has(References.defaultModel), References.hint))
        func defaultModel() async throws {
            let url = References.url(References.defaultModel)
            let native = try await NativeModel.load(url, configuration: .init(context: 512))
            let llamaCpp = try await LlamaCppModel.load(url, configuration: .init(context: 512, sequences: 1))
            let timelines = (try native.makeTimeline(), try llamaCpp.makeTimeline(capacity: 512))
            for prompt in try prompts() {
                let tokens = native.tokenizer.encode(prompt)
                let parting = try await parting(tokens, timelines.0, timelines.1, tokens: 40)
                guard let parting else { continue }
                #expect(max(parting.gaps.native, parting.gaps.llamaCpp) < 0.7, "\(prompt): \(parting)")
            }
        }
    }
#endif
