// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// Answers requests of `/v1/embeddings`, in the queue of the model and within the limits of replies.
struct EmbeddingService: Sendable {
    let state: ServerState

    /// Answers a request; its work ends when its client goes.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func answer(_ asked: ServerRequest) async throws -> Response {
        let limits = state.configuration.limits
        try asked.claim.enter()
        let wanted = try EmbeddingsRequest(
            reading: try await asked.bodyReader(limits).json(asked.request), limits: limits.wire)
        let id = try await state.model(named: wanted.model).id
        asked.record.set(model: id)
        let embeddings = try await embeddings(wanted, of: id, asked)
        asked.record.count(
            GenerationStats(promptTokens: embeddings.reduce(0) { $0 + $1.tokenCount }, completionTokens: 0))
        asked.record.write(status: 200)
        var response = Answer.json(wanted.answer(embeddings, model: id))
        response.tell(ignored: wanted.ignored)
        return response
    }

    private func embeddings(
        _ wanted: EmbeddingsRequest, of model: String, _ asked: ServerRequest
    ) async throws -> [Embedding] {
        let work = WholeAnswer<[Embedding]>(state: state, endedTokens: wanted.cost) { embeddings in
            embeddings.reduce(0) { $0 + $1.tokenCount }
        }
        do {
            return try await work.value(for: asked) { [state] turn in
                let lease = try await state.models.lease(model)
                guard let embedder = lease.loaded.runner as? any TextEmbedding else {
                    throw ServerError.makesNoEmbeddings
                }
                if let dimensions = wanted.dimensions, dimensions != embedder.dimensions {
                    throw ServerError(
                        400, .unsupportedValue,
                        "The model's vectors have \(embedder.dimensions) values; leave dimensions out.",
                        param: "dimensions")
                }
                return try await turn.take(of: model, cost: wanted.cost) {
                    try await embedder.embed(wanted.inputs, truncates: wanted.truncates)
                }
            }
        } catch let error as ServerError {
            throw error.ofInput
        }
    }
}

extension EmbeddingsRequest {
    /// About how many tokens there are to read, for the fair queue.
    fileprivate var cost: Int {
        inputs.reduce(0) { sum, input in
            switch input {
            case .text(let text): sum + RequestCost.reading(bytes: text.utf8.count) + 1
            case .tokens(let tokens): sum + RequestCost.reading(tokens)
            }
        }
    }
}

extension ServerError {
    /// The answer for a model that writes.
    static let makesNoEmbeddings = ServerError(
        400, .modelNotCapable,
        "The model makes no embeddings. Ask for one whose file declares how the vectors of a text become one.",
        param: "model")

    /// The answer for a model that makes embeddings only.
    static let writesNoReplies = ServerError(
        400, .modelNotCapable, "The model makes embeddings and writes no replies. Ask for another one.", param: "model")

    /// The error with the name of the field that texts have here.
    fileprivate var ofInput: ServerError {
        var error = self
        guard error.error.code == .contextLengthExceeded else { return error }
        error.error.param = "input"
        let (tokens, most) = (details["n_prompt_tokens"]?.integer ?? 0, details["n_fit"]?.integer ?? 0)
        error.error.message =
            "A text has \(tokens) tokens and only \(most) fit. Shorten or divide it, or set truncation to auto."
        // All of the context is for the text.
        error.details = ["n_prompt_tokens": .integer(tokens), "n_ctx": .integer(most)]
        return error
    }
}
