// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyEngineCases
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
            try await expectParis(try await load())
        }

        @Test("logits of all positions are those of steps of one token, within rounding")
        func allPositions() async throws {
            try await expectSameLogitsOneByOne(try await load(), of: tokens)
        }

        @Test(
            "of a network that computes the last token's logits alone, those of all positions can be had",
            .enabled(if: References.has(ONNXFixture.pruned), ONNXFixture.hint))
        func prunedHead() async throws {
            let model = try await ONNXModel.load(
                References.url(ONNXFixture.pruned), configuration: .init(context: 128, threads: 2))
            try await expectSameLogitsOneByOne(model, of: tokens, within: 0)
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: tokens), into: LogitRows())
            try await timeline.step(TimelineStep(tokens: tokens), into: LogitRows())
            #expect(timeline.contents.count == 2 * tokens.count)
        }

        @Test("rewound and read again, a sequence has the same logits to the bit")
        func rewinds() async throws {
            try await expectRewinding(try await load(), of: tokens, within: 0)
        }

        @Test("a cancelled step leaves what was there, and the sequence goes on with the same logits")
        func cancelled() async throws {
            try await expectCancelling(try await load(context: 2_048), of: tokens)
        }
    }
#endif
