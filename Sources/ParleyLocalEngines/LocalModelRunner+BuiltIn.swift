// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
public import ParleyLocal
public import ParleyModels

extension LocalModelRunner {
    /// Loads a model, and downloads it first if it is not on this machine.
    ///
    /// The model is loaded into Parley's own engine, or if that cannot run it into the first other engine of this build
    /// that can (``EngineDescriptor/builtIn``).
    ///
    /// ```swift
    /// let runner = try await LocalModelRunner.load("qwen3-0.6b:Q4_K_M") { progress in show(progress) }
    /// let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
    /// for try await response in conversation.reply(to: "What is the capital of France?") {
    ///     if case .chunk(let text) = response { show(text) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - model: a name of the catalog (`smollm2-135m`, `qwen3-0.6b:Q4_K_M`), a model on the Hugging Face hub
    ///     (`hf:OWNER/REPO`, `hf:OWNER/REPO:Q8_0`), the address or the path of a `.gguf` file or of a LEAP manifest, or
    ///     the path of a folder in the form of Hugging Face; see ``ModelReference``.
    ///   - engine: the engine to use, or automatic.
    ///   - store: the store of the models on this machine.
    ///   - isOffline: whether using the network is forbidden.
    ///   - configuration: the options for loading.
    ///   - progress: receives the progress, on any thread.
    /// - Returns: a runner of the loaded model.
    /// - Throws: ``ConversationError`` with code `downloadFailed`, `modelLoadingFailed`, or `invalidInput` if there is no
    ///   engine of the preferred name; `CancellationError`.
    public static func load(
        _ model: String, engine: EnginePreference = .automatic, store: ModelStore = .standard(),
        isOffline: Bool = false,
        configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalModelRunner {
        try await load(
            model, engines: EngineDescriptor.builtIn, preference: engine, store: store, isOffline: isOffline,
            configuration: configuration, progress: progress)
    }
}
