// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import ParleyConversation
    import ParleyLocal
    import ParleyExecuTorch
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    @Suite("Conformance of models in ExecuTorch", .serialized)
    struct ConformanceTests {
        @Test(
            "A local runner over the default model in ExecuTorch conforms",
            .enabled(if: ExecuTorchFixture.hasModel, ExecuTorchFixture.hint), arguments: ModelRunnerConformance.checks)
        func defaultModel(check: ModelRunnerConformance.Check) async throws {
            let subject = ModelRunnerConformance.Subject {
                let model = try await ExecuTorchModel.load(ExecuTorchFixture.model)
                return try LocalModelRunner(model, contextSize: model.context)
            }
            try await check.run(on: subject)
        }
    }
#endif
