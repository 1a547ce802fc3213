// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// Answers questions about prompts and tokens, without replies.
struct PromptService: Sendable {
    let state: ServerState
    let context: ConnectionContext

    /// Counts the tokens of a chat request.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func inputTokens(_ request: Request) async throws -> JSONValue {
        let (chat, lease) = try await chat(request)
        let count = try await count(chat, lease)
        return ["object": "chat.completion.input_tokens", "input_tokens": .integer(count)]
    }

    private func count(_ chat: ChatCompletionRequest, _ lease: ModelLease) async throws -> Int {
        try await lease.loaded.runner.promptTokenCount(
            messages: chat.messages, functions: chat.functions, options: chat.options)
    }

    /// Counts the tokens of a request of `/v1/messages`.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func countTokens(_ request: Request) async throws -> JSONValue {
        let limits = state.configuration.limits
        let chat = try AnthropicRequest(
            reading: try await context.bodyReader(limits).json(request), limits: limits.wire, needsLength: false
        ).chat
        return ["input_tokens": .integer(try await count(chat, try await state.lease(chat.model)))]
    }

    /// The tokens of a text, with their pieces if that is asked for.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func tokenize(_ request: Request) async throws -> JSONValue {
        let body = try await body(request)
        guard let text = body["content"]?.string else { throw Self.missing("content", "a string") }
        let (runner, lease) = try await inspector(body)
        let addsBeginning = try Self.member("add_special", of: body, "true or false", \.bool) ?? false
        let withPieces = try Self.member("with_pieces", of: body, "true or false", \.bool) ?? false
        let tokens = try await runner.tokens(of: text, addsBeginning: addsBeginning)
        guard withPieces else { return ["tokens": Self.list(tokens)] }
        let pieces = try await runner.pieces(of: tokens)
        withExtendedLifetime(lease) {}
        return [
            "tokens": .array(
                zip(tokens, pieces).map { token, piece in
                    // A piece that ends inside a character is told as its bytes.
                    let text = String(validating: piece, as: UTF8.self)
                    let bytes = JSONValue.array(piece.map { .integer(Int($0)) })
                    return ["id": .integer(Int(token)), "piece": text.map(JSONValue.string) ?? bytes]
                })
        ]
    }

    /// The text of tokens.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func detokenize(_ request: Request) async throws -> JSONValue {
        let body = try await body(request)
        guard let list = body["tokens"]?.array else { throw Self.missing("tokens", "a list of ids") }
        let tokens = list.compactMap { $0.integer.flatMap(Int32.init(exactly:)) }
        guard tokens.count == list.count else { throw Self.missing("tokens", "a list of ids") }
        let (runner, lease) = try await inspector(body)
        let text = try await runner.text(of: tokens)
        withExtendedLifetime(lease) {}
        return ["content": .string(text)]
    }

    /// The prompt of a chat request, as text and tokens.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func applyTemplate(_ request: Request) async throws -> JSONValue {
        let (chat, lease) = try await chat(request)
        let runner = try Self.inspector(lease)
        let tokens = try await runner.promptTokens(
            messages: chat.messages, functions: chat.functions, options: chat.options)
        let text = try await runner.text(of: tokens)
        return ["prompt": .string(text), "tokens": Self.list(tokens)]
    }

    // MARK: - Requests

    private func body(_ request: Request) async throws -> JSONValue {
        let limits = state.configuration.limits
        let bytes = try await context.bodyReader(limits).json(request)
        do {
            return try JSONValue(parsing: bytes, limits: limits.wire.json)
        } catch {
            throw OpenAIError(.invalidJSON, "The text is not the JSON that is expected: \(error)", cause: error)
        }
    }

    private func chat(_ request: Request) async throws -> (ChatCompletionRequest, ModelLease) {
        var body = try await body(request)
        if var members = body.object, members["model"] == nil {
            members["model"] = .string(await state.models.list().first?.id ?? "")
            body = .object(members)
        }
        let chat = try ChatCompletionRequest(body, limits: state.configuration.limits.wire)
        return (chat, try await state.lease(chat.model))
    }

    private func inspector(_ body: JSONValue) async throws -> (any TokenInspecting, ModelLease) {
        let first = await state.models.list().first?.id ?? ""
        let lease = try await state.lease(try Self.member("model", of: body, "a string", \.string) ?? first)
        return (try Self.inspector(lease), lease)
    }

    private static func inspector(_ lease: ModelLease) throws(ServerError) -> any TokenInspecting {
        guard let runner = lease.loaded.runner as? any TokenInspecting else {
            throw ServerError(400, .modelNotCapable, "The model does not tell its tokens.", param: "model")
        }
        return runner
    }

    /// A member that need not be there.
    private static func member<Value>(
        _ name: String, of body: JSONValue, _ kind: String, _ value: (JSONValue) -> Value?
    ) throws(ServerError) -> Value? {
        guard let member = body[name], !member.isNull else { return nil }
        guard let value = value(member) else { throw missing(name, kind) }
        return value
    }

    private static func missing(_ name: String, _ kind: String) -> ServerError {
        ServerError(400, .invalidType, "\(name) must be \(kind).", param: name)
    }

    private static func list(_ tokens: [Int32]) -> JSONValue { .array(tokens.map { .integer(Int($0)) }) }
}

extension ServerState {
    /// Takes the model that a request asks for by a name or alias.
    ///
    /// - Throws: ``ServerError``.
    func lease(_ name: String) async throws -> ModelLease {
        let known = await models.list().map(\.id)
        let id = configuration.model(named: name, among: known)
        guard known.contains(id) else { throw ServerError.modelNotFound(name, among: known) }
        return try await models.lease(id)
    }
}
