// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import ParleyConversation
    import ParleyLocal
    import ParleyONNX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    @Suite("Conformance of models in ONNX Runtime", .serialized)
    struct ConformanceTests {
        @Test(
            "A local runner over the default model in ONNX Runtime conforms",
            .enabled(if: ONNXFixture.hasModel, ONNXFixture.hint), arguments: ModelRunnerConformance.checks)
        func defaultModel(check: ModelRunnerConformance.Check) async throws {
            let subject = ModelRunnerConformance.Subject {
                let model = try await ONNXModel.load(
                    ONNXFixture.model, configuration: .init(context: 2_048, threads: 2))
                return try LocalModelRunner(model, contextSize: model.context)
            }
            try await check.run(on: subject)
        }
    }
#endif
