// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// Answers questions about prompts and tokens without replies. Long ones have their turn in the queue of the model, and
/// count for the limits of the client's key.
struct PromptService: Sendable {
    let state: ServerState

    /// The bytes up to which a question does not wait for its turn.
    private static let shortBytes = 16 << 10

    /// What is asked of a model.
    private struct Question: Sendable {
        /// The model, by a name or alias.
        var model: String
        /// Asks the model.
        var answer: @Sendable (any ModelRunner) async throws -> JSONValue
    }

    /// Answers a request; its work ends when its client goes.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func answer(_ asked: ServerRequest, _ route: Route) async throws -> Response {
        let length = asked.request.headers[.contentLength].flatMap { Int($0) }
        if length.map({ $0 > Self.shortBytes }) ?? true { try asked.claim.enter() }
        let bytes = try await asked.bodyReader(limits).json(asked.request)
        let question = try question(route, bytes, usual: await state.models.list().first?.id ?? "")
        let model = try await state.model(named: question.model).id
        asked.record.set(model: model)
        let isShort = bytes.count <= Self.shortBytes
        // One that does not tell its length has a place until it is known.
        if isShort { asked.claim.leave(tokens: 0) }
        let work = WholeAnswer<JSONValue>(state: state) { _ in 0 }
        let answer = try await work.value(for: asked) { [state] turn in
            let lease = try await state.models.lease(model)
            let compute = { @Sendable in try await question.answer(lease.loaded.runner) }
            guard !isShort else { return try await turn.forgo(compute) }
            return try await turn.take(of: model, cost: RequestCost.reading(bytes: bytes.count), compute)
        }
        asked.record.write(status: 200)
        return Answer.json(answer)
    }

    private var limits: ServerLimits { state.configuration.limits }

    /// Reads what is asked; `usual` is the model that is meant where none is named.
    private func question(_ route: Route, _ bytes: [UInt8], usual: String) throws -> Question {
        switch route {
        case .countTokens:
            let request = try AnthropicRequest(reading: bytes, limits: limits.wire, needsLength: false)
            return Self.count(request.chat) { ["input_tokens": .integer($0)] }
        case .inputTokens:
            return Self.count(try chat(bytes, usual)) {
                ["object": "chat.completion.input_tokens", "input_tokens": .integer($0)]
            }
        case .responseTokens:
            let request = try ResponsesRequest(try named(bytes, usual), limits: limits.wire)
            return Self.count(request.chat) { ["object": "response.input_tokens", "input_tokens": .integer($0)] }
        case .applyTemplate: return template(try chat(bytes, usual))
        case .detokenize: return try detokenize(try limits.wire.parse(bytes), usual)
        default: return try tokenize(try limits.wire.parse(bytes), usual)
        }
    }

    // MARK: - Questions

    /// The number of tokens in the prompt of a chat request.
    private static func count(
        _ chat: ChatCompletionRequest, _ form: @escaping @Sendable (Int) -> JSONValue
    ) -> Question {
        Question(model: chat.model) { runner in
            form(
                try await runner.promptTokenCount(
                    messages: chat.messages, functions: chat.functions, options: chat.options))
        }
    }

    /// The prompt of a chat request, as text and tokens.
    private func template(_ chat: ChatCompletionRequest) -> Question {
        let most = limits.toldTokens
        return Question(model: chat.model) { runner in
            let runner = try Self.inspecting(runner)
            let tokens = try await runner.promptTokens(
                messages: chat.messages, functions: chat.functions, options: chat.options)
            guard tokens.count <= most else { throw Self.tooMuch(most, "messages") }
            let text = try await runner.text(of: tokens)
            return ["prompt": .string(text), "tokens": Self.list(tokens)]
        }
    }

    /// The tokens of a text, with their pieces if that is asked for.
    private func tokenize(_ body: JSONValue, _ usual: String) throws(ServerError) -> Question {
        guard let text = body["content"]?.string else { throw Self.missing("content", "a string") }
        guard text.utf8.count <= limits.toldTokens else { throw Self.tooMuch(limits.toldTokens, "content") }
        let model = try Self.model(of: body) ?? usual
        let addsBeginning = try Self.member("add_special", of: body, "true or false", \.bool) ?? false
        let withPieces = try Self.member("with_pieces", of: body, "true or false", \.bool) ?? false
        return Question(model: model) { runner in
            let runner = try Self.inspecting(runner)
            let tokens = try await runner.tokens(of: text, addsBeginning: addsBeginning)
            guard withPieces else { return ["tokens": Self.list(tokens)] }
            let pieces = try await runner.pieces(of: tokens)
            return ["tokens": .array(zip(tokens, pieces).map { Self.json($0, $1) })]
        }
    }

    /// The text of tokens.
    private func detokenize(_ body: JSONValue, _ usual: String) throws(ServerError) -> Question {
        guard let list = body["tokens"]?.array else { throw Self.missing("tokens", "a list of ids") }
        guard list.count <= limits.toldTokens else { throw Self.tooMuch(limits.toldTokens, "tokens") }
        let tokens = list.compactMap { $0.integer.flatMap(Int32.init(exactly:)) }
        guard tokens.count == list.count else { throw Self.missing("tokens", "a list of ids") }
        return Question(model: try Self.model(of: body) ?? usual) { runner in
            ["content": .string(try await Self.inspecting(runner).text(of: tokens))]
        }
    }

    private static func inspecting(_ runner: any ModelRunner) throws(ServerError) -> any TokenInspecting {
        guard let runner = runner as? any TokenInspecting else {
            throw ServerError(400, .modelNotCapable, "The model does not tell its tokens.", param: "model")
        }
        return runner
    }

    private static func list(_ tokens: [Int32]) -> JSONValue { .array(tokens.map { .integer(Int($0)) }) }

    /// A token with its piece; one that ends inside a character is told as its bytes.
    private static func json(_ token: Int32, _ piece: [UInt8]) -> JSONValue {
        guard let text = String(validating: piece, as: UTF8.self) else {
            return ["id": .integer(Int(token)), "piece": .array(piece.map { .integer(Int($0)) })]
        }
        return ["id": .integer(Int(token)), "piece": .string(text)]
    }

    // MARK: - Requests

    private func chat(_ bytes: [UInt8], _ usual: String) throws -> ChatCompletionRequest {
        try ChatCompletionRequest(try named(bytes, usual), limits: limits.wire)
    }

    /// The body, with the name of the usual model where it names none.
    private func named(_ bytes: [UInt8], _ usual: String) throws -> JSONValue {
        let body = try limits.wire.parse(bytes)
        guard var members = body.object, members["model"] == nil else { return body }
        members["model"] = .string(usual)
        return .object(members)
    }

    private static func model(of body: JSONValue) throws(ServerError) -> String? {
        try member("model", of: body, "a string", \.string)
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

    private static func tooMuch(_ most: Int, _ name: String) -> ServerError {
        ServerError(
            413, .tooLarge, "Tokens are told of texts of \(most) bytes or tokens at most. Send less at once.",
            param: name)
    }
}
