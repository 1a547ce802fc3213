// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyEngine
    import ParleyLlamaCpp
    import ParleyRuntime
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite("Both engines in one process")
    struct BothEnginesTests {
        /// Where two greedy replies to a prompt part.
        private struct Parting {
            /// How many tokens are the same.
            let position: Int
            /// By how much each engine prefers its own token to the other's.
            let gaps: (native: Float, llamaCpp: Float)
        }

        /// Lets both engines answer greedily, and looks where they part.
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
                let (a, b) = (Sampler.largest(left[0]), Sampler.largest(right[0]))
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
                let prompt = randomTokens(20, vocabulary: native.description.vocabularySize, seed: UInt64(seed))
                let parting = try await parting(prompt, timelines.0, timelines.1, tokens: 100)
                guard let parting else { continue }
                #expect(max(parting.gaps.native, parting.gaps.llamaCpp) < 0.02, "prompt \(seed): \(parting)")
            }
        }

        @Test(
            "the default model's replies to ten prompts part only where two tokens are about as likely",
            .enabled(if: References.has(References.defaultModel), References.hint))
        func defaultModel() async throws {
            let url = References.url(References.defaultModel)
            let native = try await NativeModel.load(url, configuration: .init(context: 512))
            let llamaCpp = try await LlamaCppModel.load(url, configuration: .init(context: 512, sequences: 1))
            let timelines = (try native.makeTimeline(), try llamaCpp.makeTimeline(capacity: 512))
            let prompts = try String(contentsOf: References.prompts, encoding: .utf8).split(separator: "\n").prefix(10)
            #expect(prompts.count == 10)
            for prompt in prompts {
                let tokens = native.tokenizer.encode(String(prompt))
                let parting = try await parting(tokens, timelines.0, timelines.1, tokens: 40)
                guard let parting else { continue }
                #expect(max(parting.gaps.native, parting.gaps.llamaCpp) < 0.7, "\(prompt): \(parting)")
            }
        }

        @Test("loading and unloading a thousand times leaves nothing behind", .enabled(if: residentBytes() != nil))
        func cycles() async throws {
            try await withModelFile(TinyModel().writer()) { url in
                func cycle() async throws {
                    let model = try await LlamaCppModel.load(url, configuration: .init(threads: 1))
                    let timeline = try model.makeTimeline(capacity: 64)
                    try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
                }
                for _ in 0..<100 { try await cycle() }
                let before = try #require(residentBytes())
                for _ in 0..<1_000 { try await cycle() }
                let after = try #require(residentBytes())
                // A cycle takes some MiB; other tests run beside this one.
                #expect(after - before < 400 << 20, "\(before >> 20) MiB before, \(after >> 20) MiB after")
            }
        }
    }

    /// The memory of this process, where the system tells.
    private func residentBytes() -> Int? {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return fields.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * 4_096 }
    }
#endif
