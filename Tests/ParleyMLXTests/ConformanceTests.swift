// SPDX-License-Identifier: Apache-2.0

#if MLX
    import ParleyConversation
    import ParleyLocal
    import ParleyMLX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    @Suite("Conformance of models in MLX", .serialized)
    struct ConformanceTests {
        @Test(
            "A local runner over the default model in MLX conforms",
            .enabled(if: MLXFixture.hasModel, MLXFixture.hint), arguments: ModelRunnerConformance.checks)
        func defaultModel(check: ModelRunnerConformance.Check) async throws {
            let subject = ModelRunnerConformance.Subject {
                let model = try await MLXModel.load(MLXFixture.model, configuration: .init(context: 2_048))
                return try LocalModelRunner(model, contextSize: model.context)
            }
            try await check.run(on: subject)
        }
    }
#endif
