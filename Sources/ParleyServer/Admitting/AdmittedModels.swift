// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import ParleyOpenAI

/// The models of a server for those of its parts that make no requests, such as its page: the same queue, the same
/// leases.
package struct AdmittedModels: Sendable {
    let state: ServerState

    /// The models and what manages them.
    package var models: any ServedModels { state.models }

    /// A model as the runner of conversations, which is loaded when it replies, and waits for its turn as requests do.
    ///
    /// - Parameters:
    ///   - id: the name of the model.
    ///   - engine: the name of the engine that runs it; nil for the one that it runs on for everybody.
    ///   - client: what the queue shares turns over.
    /// - Returns: the runner, and what is known of the model, which is loaded for it.
    /// - Throws: ``ServerError`` if there is no such model, or it cannot be loaded.
    package func runner(
        _ id: String, in engine: String? = nil, for client: String
    ) async throws -> (runner: any Replaying, model: ServedModel) {
        let lease = try await state.lease(id, in: engine)
        let runner = AdmittedRunner(model: lease.loaded, engine: engine, state: state, client: client)
        return (runner, lease.loaded.model)
    }

    /// Frees the memory that a model has taken in an engine of choice, unless it is in use.
    package func unload(_ id: String, in engine: String) async {
        await (state.models as? any EngineModels)?.unload(id, in: engine)
    }
}

extension ServerState {
    /// Takes a model in an engine; nil is the one that it runs on for everybody.
    fileprivate func lease(_ id: String, in engine: String?) async throws -> ModelLease {
        guard let engine else { return try await models.lease(id) }
        guard let models = models as? any EngineModels else { throw ServerError.noChoiceOfEngine }
        return try await models.lease(id, in: engine)
    }
}

/// A model of the server that replies when it is its turn, and may be unloaded between two replies.
private struct AdmittedRunner: Replaying {
    /// What is known of the model; its runner may have been unloaded since.
    private let known: LoadedModel
    private let state: ServerState
    private let client: String

    init(model: LoadedRunner, engine: String?, state: ServerState, client: String) {
        known = LoadedModel(id: model.model.id, engine: engine, runner: model.runner)
        (self.state, self.client) = (state, client)
    }

    private struct LoadedModel: Sendable {
        var id: String
        /// The engine of choice; nil for none.
        var engine: String?
        /// What was loaded then; it says what the model is like, also after it has been unloaded.
        var runner: any ModelRunner
    }

    var modelID: String { known.runner.modelID }
    var abilities: RunnerAbilities { known.runner.abilities }

    func refusals(of functions: [Function]) -> [FunctionRefusal] { known.runner.refusals(of: functions) }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let cost = RequestCost.reading(request.messages) + RequestCost.writing(request.options)
        return try await admitted(cost, writer) { runner in
            var request = request
            request.cacheScope = client
            return try await runner.generate(request, to: writer)
        }
    }

    func generate(again prompt: KeptPrompt, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let cost = RequestCost.reading(prompt.tokens) + RequestCost.writing(prompt.options)
        return try await admitted(cost, writer) { runner in
            try await Self.replaying(runner).generate(again: prompt, to: writer)
        }
    }

    func text(of tokens: [Int32]) async throws -> String {
        let lease = try await state.lease(known.id, in: known.engine)
        return try await Self.replaying(lease.loaded.runner).text(of: tokens)
    }

    private static func replaying(_ runner: any ModelRunner) throws(ServerError) -> any Replaying {
        guard let replaying = runner as? any Replaying else {
            throw ServerError(400, .modelNotCapable, "The model generates no reply again: it does not tell its tokens.")
        }
        return replaying
    }

    /// Generates when it is the client's turn.
    private func admitted(
        _ cost: Int, _ writer: ResponseWriter, _ generate: (any ModelRunner) async throws -> GenerationOutcome
    ) async throws -> GenerationOutcome {
        let lease = try await state.lease(known.id, in: known.engine)
        let onWait: (Int) -> Void = { writer.report(.queued(place: $0)) }
        return try await state.admission(for: known.id).run(of: client, cost: cost, onWait: onWait) {
            let outcome = try await generate(lease.loaded.runner)
            if let stats = outcome.stats { state.metrics.completed(stats) }
            return outcome
        }
    }

    /// Counts while the model is in memory: nobody waits for a load because of a number.
    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        guard await state.models.loaded().contains(where: { $0.model.id == known.id }) else {
            throw ServerError(503, .modelLoading, "The model is not in memory.", retryAfter: 1)
        }
        let lease = try await state.lease(known.id, in: known.engine)
        return try await lease.loaded.runner.promptTokenCount(
            messages: messages, functions: functions, options: options)
    }

    /// The server unloads its models.
    func unload() async {}
}
