// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyModelFile
    import ParleyONNX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTokenizer
    import Testing

    @Suite("Models in ONNX Runtime", .serialized, .enabled(if: ONNXFixture.hasModel, ONNXFixture.hint))
    struct ONNXModelTests {
        private let tokens: [TokenID] = [1, 9690, 198, 2683, 359, 253, 5356, 5646, 11173, 3365, 3511, 308]

        private func load(context: Int = 512) async throws -> ONNXModel {
            try await ONNXModel.load(ONNXFixture.model, configuration: .init(context: context, threads: 2))
        }

        @Test("the capital of France is Paris, chosen by the most probable tokens")
        func greedy() async throws {
            let model = try await load()
            let prompt = model.tokenizer.encode(
                "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
                specialTokens: .parsed)
            let timeline = try model.makeTimeline(capacity: 128)
            var (next, reply): ([TokenID], [TokenID]) = (prompt, [])
            let output = LogitRows()
            while reply.count < 8 {
                try await timeline.step(TimelineStep(tokens: next), into: output)
                let best = try #require(output[0].indices.max { output[0][$0] < output[0][$1] })
                if model.tokenizer.endOfGeneration.contains(TokenID(best)) { break }
                reply.append(TokenID(best))
                next = [TokenID(best)]
            }
            #expect(model.tokenizer.decode(reply) == "The capital of France is Paris.")
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

        @Test(
            "of a network that computes the last token's logits alone, those of all positions can be had",
            .enabled(if: References.has(ONNXFixture.pruned), ONNXFixture.hint))
        func prunedHead() async throws {
            let model = try await ONNXModel.load(
                References.url(ONNXFixture.pruned), configuration: .init(context: 128, threads: 2))
            let (whole, single) = (LogitRows(), LogitRows())
            let first = try model.makeTimeline(capacity: 64)
            try await first.step(TimelineStep(tokens: tokens, positions: .all), into: whole)
            let second = try model.makeTimeline(capacity: 64)
            for (row, token) in tokens.enumerated() {
                try await second.step(TimelineStep(tokens: [token]), into: single)
                #expect(Array(whole[row]) == Array(single[0]), "row \(row)")
            }
            try await second.step(TimelineStep(tokens: tokens), into: single)
            #expect(second.contents.count == 2 * tokens.count)
        }

        @Test("rewound and read again, a sequence has the same logits to the bit")
        func rewinds() async throws {
            let model = try await load()
            let (before, after) = (LogitRows(), LogitRows())
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: tokens), into: before)
            let other = try model.makeTimeline(capacity: 64)
            try await other.step(TimelineStep(tokens: Array(tokens.reversed())), into: after)
            #expect(timeline.rewind(to: 5) == 5)
            try await timeline.step(TimelineStep(tokens: Array(tokens[5...])), into: after)
            #expect(Array(before[0]) == Array(after[0]))
            #expect(timeline.contents.tokens == tokens)
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
    }
#endif
