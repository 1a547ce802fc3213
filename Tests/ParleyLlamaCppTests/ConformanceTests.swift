// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyConversation
    import ParleyLlamaCpp
    import ParleyLocal
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    @Suite("Conformance of models in llama.cpp")
    struct ConformanceTests {
        @Test("A local runner over a tiny model in llama.cpp conforms", arguments: ModelRunnerConformance.checks)
        func tiny(check: ModelRunnerConformance.Check) async throws {
            let subject = ModelRunnerConformance.Subject {
                let model = try await LlamaCppModel.load(TinyModel().writer(), context: 4_096)
                return try LocalModelRunner(model, contextSize: model.context, sampling: .init(repetitionPenalty: 1))
            }
            try await check.run(on: subject)
        }

        @Test(
            "A local runner over the default model in llama.cpp conforms",
            .enabled(if: References.has(References.defaultModel), References.hint),
            arguments: ModelRunnerConformance.checks)
        func defaultModel(check: ModelRunnerConformance.Check) async throws {
            let url = References.url(References.defaultModel)
            let subject = ModelRunnerConformance.Subject {
                let model = try await LlamaCppModel.load(url, configuration: .init(context: 4_096, threads: 2))
                return try LocalModelRunner(model, contextSize: model.context)
            }
            try await check.run(on: subject)
        }
    }
#endif
