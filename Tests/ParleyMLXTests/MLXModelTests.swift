// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import ParleyEngine
    import ParleyEngineCases
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

        @Test("the capital of France is Paris, chosen by the most probable tokens")
        func greedy() async throws {
            try await expectParis(try await load())
        }

        @Test("so it is with weights in groups of 8 bits")
        func grouped() async throws {
            let folder = MLXFixture.grouped[1]
            try #require(References.has(folder), MLXFixture.hint)
            let model = try await load(folder)
            #expect(model.memoryPlan.weights.count < 160 << 20)
            try await expectParis(model)
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
                // Logits of this model are up to about 30; the native engine keeps keys and values in 16 bits.
                #expect(largestDifference(own[row], theirs[row]) < 0.1, "row \(row)")
            }
            for question in ["Name three colours.", "What is 2 + 2?", "Who wrote Hamlet?"] {
                let expected = try await native.reply(to: question)
                let found = try await model.reply(to: question)
                #expect(found.prefix(8) == expected.prefix(8), "\(question)")
            }
        }

        @Test("logits of all positions are those of steps of one token, within rounding")
        func allPositions() async throws {
            try await expectSameLogitsOneByOne(try await load(), of: tokens)
        }

        @Test("a cancelled step leaves what was there, and the sequence goes on with the same logits")
        func cancelled() async throws {
            try await expectCancelling(try await load(context: 2_048), of: tokens)
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
