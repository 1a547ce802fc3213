// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation
    import ParleyLiteRTLM
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    @Suite("Conformance of runners over LiteRT-LM", .serialized)
    struct ConformanceTests {
        @Test(
            "A runner over a tiny random model in LiteRT-LM conforms",
            .enabled(if: LiteRTLMFixture.hasTiny, LiteRTLMFixture.hint), arguments: ModelRunnerConformance.checks)
        func tinyModel(check: ModelRunnerConformance.Check) async throws {
            let subject = ModelRunnerConformance.Subject {
                try await LiteRTLMRunner.load(LiteRTLMFixture.tiny, context: 1_024, threads: 1)
            }
            try await check.run(on: subject)
        }

        @Test(
            "A runner over the default model in LiteRT-LM conforms",
            .enabled(if: LiteRTLMFixture.hasModel, LiteRTLMFixture.hint), arguments: ModelRunnerConformance.checks)
        func defaultModel(check: ModelRunnerConformance.Check) async throws {
            let subject = ModelRunnerConformance.Subject {
                try await LiteRTLMRunner.load(LiteRTLMFixture.model, context: 2_048, threads: 2)
            }
            try await check.run(on: subject)
        }
    }
#endif
