// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Synchronization

/// Answers requests for replies in each of the forms, whole or as a stream.
struct ReplyService: Sendable {
    let state: ServerState
    let logger: Logger

    private var limits: ServerLimits { state.configuration.limits }

    /// Answers a request of `/v1/chat/completions`.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with before its answer begins.
    func chat(_ asked: ServerRequest) async throws -> Response {
        let chat = try ChatCompletionRequest(reading: try await body(asked), limits: limits.wire)
        return try await reply(to: chat, asked, mayTruncate: !chat.dropsOldestTurns) {
            ChatAnswer(chat: chat, model: $0, record: asked.record)
        }
    }

    /// Answers a request of `/v1/responses`.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with before its answer begins.
    func responses(_ asked: ServerRequest) async throws -> Response {
        let wanted = try ResponsesRequest(reading: try await body(asked), limits: limits.wire)
        return try await reply(to: wanted.chat, asked, mayTruncate: !wanted.chat.dropsOldestTurns) { _ in
            ResponsesAnswer(wanted, record: asked.record)
        }
    }

    /// Answers a request of `/v1/completions`.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with before its answer begins.
    func text(_ asked: ServerRequest) async throws -> Response {
        let wanted = try TextCompletionRequest(reading: try await body(asked), limits: limits.wire)
        let plan = TextPlan(
            wanted, client: asked.client, conversation: asked.conversation, time: limits.requestTime)
        return try await respond(
            to: asked, with: plan, model: wanted.model, streams: wanted.stream, ignored: wanted.ignored
        ) { TextAnswer(wanted, model: $0, record: asked.record) }
    }

    /// Answers a request of `/v1/messages`.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with before its answer begins.
    func messages(_ asked: ServerRequest) async throws -> Response {
        let wanted = try AnthropicRequest(reading: try await body(asked), limits: limits.wire)
        // Every request says how long its reply may be, and programs say what suits larger models.
        return try await reply(
            to: wanted.chat, asked, tellsPromptLength: wanted.chat.stream, mayFillContext: true
        ) { _ in
            AnthropicAnswer(wanted, record: asked.record)
        }
    }

    private func body(_ asked: ServerRequest) async throws -> [UInt8] {
        try asked.claim.enter()
        return try await asked.bodyReader(limits).json(asked.request)
    }

    private func reply(
        to chat: ChatCompletionRequest, _ asked: ServerRequest, tellsPromptLength: Bool = false,
        mayFillContext: Bool = false, mayTruncate: Bool = false, answer: (ServedModel) -> any ReplyAnswer
    ) async throws -> Response {
        var plan = ReplyPlan(chat, client: asked.client, conversation: asked.conversation, limits: limits)
        (plan.tellsPromptLength, plan.mayFillContext) = (tellsPromptLength, mayFillContext)
        plan.mayTruncate = mayTruncate
        return try await respond(
            to: asked, with: plan, model: chat.model, streams: chat.stream, ignored: chat.ignored, answer: answer)
    }

    private func respond(
        to asked: ServerRequest, with plan: some RepliesPlan, model name: String, streams: Bool, ignored: [String],
        answer: (ServedModel) -> any ReplyAnswer
    ) async throws -> Response {
        let model = try await state.model(named: name)
        asked.record.set(model: model.id)
        let job = try await begin(plan, model.id, asked)
        let answer = answer(model)
        var response =
            streams ? try await stream(job, answer, asked.context) : try await whole(job, answer, asked.context)
        response.tell(ignored: ignored)
        return response
    }

    /// Begins the work on a request, which ends when its client goes.
    private func begin(
        _ plan: some RepliesPlan, _ model: String, _ asked: ServerRequest
    ) async throws -> ReplyJob {
        let (client, record, claim) = (asked.client, asked.record, asked.claim)
        let watch = try await asked.context.watch()
        let job = ReplyJob(limits: limits)
        try state.begin(job, client.key)
        let state = state
        job.start { running in
            let tokens = Mutex(0)
            defer {
                claim.giveBack()
                claim.leave(tokens: tokens.withLock { $0 })
                state.end(running)
            }
            let lease = try await state.models.lease(model)
            let arrival = ContinuousClock.now
            let admission = state.admission(for: model)
            try await admission.run(of: client.identity, cost: plan.cost) {
                state.metrics.admitted(after: arrival.duration(to: .now))
                do {
                    try await plan.generate(
                        with: lease.loaded.runner, room: admission.join,
                        used: { stats, sharesPrompt in
                            tokens.withLock { $0 += sharesPrompt ? stats.completionTokens : stats.totalTokens }
                            record.count(stats, sharesPrompt: sharesPrompt)
                        }, events: { running.yield($0) })
                } catch {
                    throw ServerError(answering: error).ofPrompt(
                        context: lease.loaded.model.contextSize, mayTruncate: plan.mayTruncate)
                }
            }
        }
        watch.onClose {
            record.end("disconnected")
            job.cancel()
        }
        return job
    }

    // MARK: - Whole

    private func whole(_ job: ReplyJob, _ answer: any ReplyAnswer, _ context: ConnectionContext) async throws
        -> Response
    {
        var completions: [(choice: Int, completion: MessageCompletion)] = []
        for await event in job.events {
            job.take(event)
            switch event {
            case .complete(let completion, let choice):
                answer.record.end(completion.finishReason.rawValue)
                completions.append((choice, completion))
            case .failed(let error):
                try await settle(context)
                throw error
            default: break
            }
        }
        try await settle(context)
        answer.record.write(status: 200)
        return Answer.json(try answer.json(completions.sorted { $0.choice < $1.choice }.map(\.completion)))
    }

    // MARK: - Streamed

    /// Waits until all that can be checked has been, but not longer than the head of a stream may take.
    private func stream(_ job: ReplyJob, _ answer: any ReplyAnswer, _ context: ConnectionContext) async throws
        -> Response
    {
        let began = ContinuousClock.now
        var first: [ReplyEvent] = []
        waiting: for await event in job.events {
            switch event {
            case .tick(let now):
                if began.duration(to: now) >= limits.streamHeadTime { break waiting }
            case .failed(let error):
                try await settle(context)
                throw error
            case .prompt:
                // It has been counted, and not yet accepted.
                first.append(event)
            default:
                first.append(event)
                break waiting
            }
        }
        let (early, limits) = (first, limits)
        return Response(
            status: .ok, headers: EventStreamAnswer.headers,
            body: ResponseBody { writer in
                try await withTaskExecutorPreference(LoopExecutor(context.channel.eventLoop)) {
                    var encoder = StreamEncoder(answer.form, silence: limits.silence, now: .now)
                    var status = 200
                    for event in early {
                        try await Self.write(event, of: job, with: &encoder, answer, to: &writer)
                    }
                    for await event in job.events where !encoder.hasEnded {
                        if case .failed(let error) = event { status = error.status }
                        try await Self.write(event, of: job, with: &encoder, answer, to: &writer)
                    }
                    answer.record.write(status: status)
                    try await settle(context)
                }
                try await writer.finish(nil)
            })
    }

    private static func write(
        _ event: ReplyEvent, of job: ReplyJob, with encoder: inout StreamEncoder, _ answer: any ReplyAnswer,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        if case .complete(let completion, _) = event { answer.record.end(completion.finishReason.rawValue) }
        job.take(event)
        let text = encoder.text(for: event, now: .now)
        if !text.isEmpty {
            do {
                try await writer.write(ByteBuffer(string: text))
            } catch {
                job.cancel()
                answer.record.end("disconnected")
                answer.record.write(status: 200)
                throw error
            }
        }
    }

    /// From now on the client may go without consequences.
    private func settle(_ context: ConnectionContext) async throws {
        try await context.watch().onClose(nil)
    }
}
