// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import ParleyEngine
    import ParleyMLX
    import ParleyModelFile
    import ParleyRuntime
    import ParleySystem
    import ParleyTestSupport
    import ParleyTokenizer
    import Testing

    @Suite("The default model in MLX", .serialized, .enabled(if: MLXFixture.hasModel, MLXFixture.hint))
    struct MLXModelTests {
        private let tokens: [TokenID] = [1, 9690, 198, 2683, 359, 253, 5356, 5646, 11173, 3365, 3511, 308]

        private func load(_ folder: String = MLXFixture.folder, context: Int = 512) async throws -> MLXModel {
            try await MLXModel.load(References.url(folder), configuration: .init(context: context))
        }

        /// The most probable tokens of a reply.
        private func reply(of model: any TokenModel, to question: String, count: Int = 24) async throws -> [TokenID] {
            let prompt = model.tokenizer.encode(
                "<|im_start|>user\n\(question)<|im_end|>\n<|im_start|>assistant\n", specialTokens: .parsed)
            let timeline = try model.makeTimeline(capacity: 128)
            var (next, reply): ([TokenID], [TokenID]) = (prompt, [])
            let output = LogitRows()
            while reply.count < count {
                try await timeline.step(TimelineStep(tokens: next), into: output)
                let best = try #require(output[0].indices.max { output[0][$0] < output[0][$1] })
                if model.tokenizer.endOfGeneration.contains(TokenID(best)) { break }
                reply.append(TokenID(best))
                next = [TokenID(best)]
            }
            return reply
        }

        @Test("the capital of France is Paris, chosen by the most probable tokens")
        func greedy() async throws {
            let model = try await load()
            let reply = try await reply(of: model, to: "What is the capital of France?")
            #expect(model.tokenizer.decode(reply) == "The capital of France is Paris.")
        }

        @Test("so it is with weights in groups of 8 bits")
        func grouped() async throws {
            let folder = MLXFixture.grouped[1]
            try #require(References.has(folder), MLXFixture.hint)
            let model = try await load(folder)
            #expect(model.memoryPlan.weights.count < 160 << 20)
            let reply = try await reply(of: model, to: "What is the capital of France?")
            #expect(model.tokenizer.decode(reply) == "The capital of France is Paris.")
        }

        @Test("logits are those of the native engine on the same folder, within rounding, and so is greedy text")
        func agreesWithNative() async throws {
            let model = try await load()
            let native = try await NativeModel.load(
                MLXFixture.model, configuration: EngineConfiguration(context: 512, threads: 2))
            let (own, theirs) = (LogitRows(), LogitRows())
            try await native.makeTimeline(capacity: 64).step(
                TimelineStep(tokens: tokens, positions: .all), into: own)
            try await model.makeTimeline(capacity: 64).step(
                TimelineStep(tokens: tokens, positions: .all), into: theirs)
            for row in tokens.indices {
                let difference = zip(own[row], theirs[row]).map { abs($0 - $1) }.max() ?? .infinity
                // Logits of this model are up to about 30; the native engine keeps keys and values in 16 bits.
                #expect(difference < 0.1, "row \(row)")
            }
            for question in ["Name three colours.", "What is 2 + 2?", "Who wrote Hamlet?"] {
                let expected = try await reply(of: native, to: question)
                let found = try await reply(of: model, to: question)
                #expect(found.prefix(8) == expected.prefix(8), "\(question)")
            }
        }

        @Test("logits of all positions are those of steps of one token, within rounding")
        func allPositions() async throws {
            let model = try await load()
            let (whole, single) = (LogitRows(), LogitRows())
            let first = try model.makeTimeline(capacity: 64)
            try await first.step(TimelineStep(tokens: tokens, positions: .all), into: whole)
            #expect(whole.count == tokens.count)
            let second = try model.makeTimeline(capacity: 64)
            for (row, token) in tokens.enumerated() {
                try await second.step(TimelineStep(tokens: [token]), into: single)
                let difference = zip(whole[row], single[0]).map { abs($0 - $1) }.max() ?? .infinity
                #expect(difference < 1e-3, "row \(row)")
            }
        }

        @Test("a cancelled step leaves what was there, and the sequence goes on with the same logits")
        func cancelled() async throws {
            let model = try await load(context: 2_048)
            let expected = LogitRows()
            let reference = try model.makeTimeline(capacity: 2_048)
            try await reference.step(TimelineStep(tokens: tokens), into: expected)
            let timeline = try model.makeTimeline(capacity: 2_048)
            try await timeline.step(TimelineStep(tokens: Array(tokens[..<5])), into: LogitRows())
            let long = (0..<1_500).map { tokens[$0 % tokens.count] }
            let step = Task { try await timeline.step(TimelineStep(tokens: long), into: LogitRows()) }
            while model.stepFigures.steps < 3 { await Task.yield() }
            step.cancel()
            await #expect(throws: CancellationError.self) { try await step.value }
            #expect(timeline.rewind(to: 5) == 5)
            let again = LogitRows()
            try await timeline.step(TimelineStep(tokens: Array(tokens[5...])), into: again)
            let difference = zip(expected[0], again[0]).map { abs($0 - $1) }.max() ?? .infinity
            #expect(difference < 1e-3)
        }

        @Test("loading that is cancelled ends with an error and leaves nothing")
        func cancelledLoading() async throws {
            let loading = Task {
                try await MLXModel.load(MLXFixture.model) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
            loading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await loading.value }
        }
    }
#endif
