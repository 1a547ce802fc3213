// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleySpeech

/// Answers requests: every one passes the guard before its route is served.
struct APIResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let state: ServerState
    let logger: Logger

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let record = RequestRecord(
            logger: logger, metrics: state.metrics, trace: request.headers[.traceParent])
        var response: Response
        do {
            response = try await answer(request, context, record)
        } catch {
            let error = ServerError(answering: error)
            if error.status == 500 || error.error.code == .modelFailed {
                logger.error(
                    error.error.code == .modelFailed ? "A model could not be loaded." : "The engine failed.",
                    metadata: ["id": "\(record.id)", "error": "\(error.kindOfCause)"])
            }
            record.write(status: error.status)
            response = Answer.error(error, isAnthropic: request.isAnthropic, id: record.id)
            // Else the connection would have to be read to the end of a body that nobody wants.
            if request.hasBody { response = Answer.closing(response) }
        }
        response.headers[.requestID] = record.id
        if request.isAnthropic { response.headers[.anthropicRequestID] = record.id }
        if let origin = state.requestGuard.allowedOrigin(request.head) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] =
                "X-Request-Id, request-id, Retry-After, x-should-retry, X-Parley-Ignored"
            response.headers[.vary] = ["Origin", response.headers[.vary]].compactMap(\.self).joined(separator: ", ")
        }
        if request.method == .head {
            // The length is that of the body that GET has.
            let length = response.headers[.contentLength]
            response.body = ResponseBody()
            if let length { response.headers[.contentLength] = length }
        }
        return response
    }

    private func answer(
        _ request: Request, _ context: ConnectionContext, _ record: RequestRecord
    ) async throws -> Response {
        let entrance = state.requestGuard
        try entrance.checkOrigin(request.head, isLocalSocket: context.isLocalSocket)
        if request.method == .options, entrance.allowedOrigin(request.head) != nil {
            record.write(status: 204)
            return Self.preflight(request)
        }
        let match = try Route.match(request.method, request.uri.path)
        record.set(route: match.route)
        let client = try entrance.client(request.head, needing: match.route.scope, address: context.address)
        record.set(key: client.key?.name)
        let service = ReplyService(state: state, logger: logger)
        let asked = ServerRequest(
            request: request, context: context, client: client, record: record,
            claim: RequestClaim(of: client, in: state))
        switch match.route {
        case .chatCompletions: return try await service.chat(asked)
        case .completions: return try await service.text(asked)
        case .responses: return try await service.responses(asked)
        case .messages: return try await service.messages(asked)
        case .embeddings: return try await EmbeddingService(state: state).answer(asked)
        case .transcriptions: return try await TranscriptionService(state: state).answer(asked, task: .transcribe)
        case .translations: return try await TranscriptionService(state: state).answer(asked, task: .translate)
        case .inputTokens, .responseTokens, .countTokens, .tokenize, .detokenize, .applyTemplate:
            return try await PromptService(state: state).answer(asked, match.route)
        default:
            let response = try await plainAnswer(match, asked)
            record.write(status: response.status.code)
            return response
        }
    }

    private func plainAnswer(_ match: Route.Match, _ asked: ServerRequest) async throws -> Response {
        let isAnthropic = asked.request.isAnthropic
        switch match.route {
        case .health:
            guard !state.isDraining else { throw ServerError.drainingNow }
            guard await state.models.isReady() else {
                throw ServerError(503, .modelLoading, "The model is being loaded.", retryAfter: 1)
            }
            return Answer.json(["status": "ok"])
        case .models:
            let list = await state.models.list()
            return Answer.json(
                isAnthropic ? ModelForm.anthropicList(list) : ModelForm.list(list, speech: state.speech))
        case .model:
            let list = await state.models.list()
            let name = match.name ?? ""
            if let speech = state.speech, speech.id == name { return Answer.json(ModelForm.json(speech)) }
            let id = state.configuration.model(named: name, among: list.map(\.id))
            guard let model = list.first(where: { $0.id == id }) else {
                throw ServerError.modelNotFound(name, among: list.map(\.id))
            }
            return Answer.json(isAnthropic ? ModelForm.anthropic(model) : ModelForm.json(model))
        case .metrics:
            let text = await state.metrics.text(counts: state.counts, loaded: await state.models.loaded())
            return Answer.text(text, type: "text/plain; version=0.0.4")
        case .status:
            return Answer.json(await StatusReport.json(state))
        case .openAPI:
            return Answer.json(APIDocument.json(version: state.configuration.version))
        case .managedModels, .fetchModel, .loadModel, .unloadModel, .deleteModel, .deleteJob, .modelEvents:
            return try await ManagingService(state: state).answer(match, asked)
        case .page, .pageReading, .pageWriting, .pageFilling:
            return try await PageService(state: state).answer(match, asked)
        case .chatCompletions, .completions, .responses, .messages, .embeddings, .transcriptions, .translations,
            .inputTokens, .responseTokens, .countTokens, .tokenize, .detokenize, .applyTemplate:
            throw ServerError(404, .notFound, "There is no such path here.")
        }
    }

    /// The answer to a browser that asks before a request: a page may send all fields that it names, since clients send
    /// many that say what they are.
    private static func preflight(_ request: Request) -> Response {
        let asked = request.headers[.accessControlRequestHeaders] ?? ""
        let names = asked.split { $0 == "," || $0.isWhitespace }.prefix(64).filter { HTTPField.Name(String($0)) != nil }
        var headers = HTTPFields()
        headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE"
        if !names.isEmpty { headers[.accessControlAllowHeaders] = names.joined(separator: ", ") }
        headers[.accessControlMaxAge] = "600"
        headers[.vary] = "Access-Control-Request-Headers"
        return Response(status: .noContent, headers: headers)
    }
}

extension Request {
    /// Whether it is one of Anthropic's API, by its path or because it says which version of that its client speaks.
    fileprivate var isAnthropic: Bool {
        Route.hasAnthropicErrors(uri.path) || headers[.anthropicVersion] != nil
    }

    /// Whether a body follows the head.
    fileprivate var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }
}

extension ServerError {
    /// The underlying error, for logs: of errors of replies only the kind, for a message may contain what does not belong
    /// there.
    fileprivate var kindOfCause: String {
        guard let cause else { return "unknown" }
        if error.code == .modelFailed { return "\(cause)" }
        let known: (code: String, cause: (any Error)?) =
            switch cause {
            case let error as ConversationError: ("\(error.code)", error.cause)
            case let error as SpeechError: ("\(error.code)", error.cause)
            default: ("\(type(of: cause))", nil)
            }
        return known.code + (known.cause.map { " \(type(of: $0))" } ?? "")
    }
}
