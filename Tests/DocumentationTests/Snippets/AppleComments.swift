// SPDX-License-Identifier: Apache-2.0

// Compiled on Apple's systems alone.
#if canImport(FoundationModels) && compiler(>=6.4)
    import FoundationModels
    import Parley
    import ParleyFoundationModels

    /// The example in the comment of `RunnerLanguageModel`.
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    func replyInTheirSession() async throws {
        let model = RunnerLanguageModel(try await LocalModelRunner.load("smollm2-135m"))
        let session = LanguageModelSession(model: model)
        let response = try await session.respond(to: "What is the capital of France?")
        print(response.content)
    }
#endif
