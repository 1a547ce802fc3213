// SPDX-License-Identifier: Apache-2.0

import Logging
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyRuntime

/// One reply of a local model, from the request to the outcome.
struct LocalReply: Sendable {
    private let request: GenerationRequest
    private let parts: LoadedParts
    private let prompt: RenderedPrompt
    private let sampling: SamplingOptions
    private let text: ReplyText
    private let constraint: AnswerConstraint
    /// When the reply ends at the latest; making the prompt counts.
    private let deadline: ContinuousClock.Instant?

    /// Makes the rules of the reply.
    ///
    /// - Parameters:
    ///   - request: what was asked for.
    ///   - prompt: the prompt, which fits into the context.
    ///   - parts: the model, and what is kept for its conversations.
    ///   - sampling: what the model's makers recommend, the most important first.
    ///   - deadline: when the reply ends at the latest.
    /// - Throws: ``/ParleyConversation/ConversationError``; `CancellationError` where the task is cancelled,
    ///   ``PromptDeadlinePassed``.
    init(
        _ request: GenerationRequest, _ prompt: RenderedPrompt, parts: LoadedParts, sampling: [SamplingOptions.Partial],
        deadline: ContinuousClock.Instant?
    ) throws {
        self.request = request
        self.parts = parts
        self.prompt = prompt
        self.deadline = deadline
        let options = request.options
        do {
            self.sampling = try SamplingOptions(
                resolving: options.sampling, recommended: sampling, seed: options.seed)
        } catch {
            throw ConversationError(.invalidInput, "The \(error.message).", cause: error)
        }
        let renderer = parts.renderer
        let rule = try AnswerRule(prompt.prepared, options, parts.constraints, deadline: deadline)
        let configuration = ResponseRouter.Configuration(
            reasoning: renderer.reasoningTags, startsInsideReasoning: prompt.startsInsideReasoning,
            maxReasoningTokens: options.maxReasoningTokens, functionCalls: prompt.prepared.functionCallFormat,
            functionNames: Set(prompt.prepared.callableFunctions.map(\.name)), usedCallIDs: request.usedCallIDs,
            stop: options.stop + renderer.stopStrings)
        text = ReplyText(parts.model.tokenizer, configuration)
        constraint = AnswerConstraint(
            rule, tokenizer: parts.model.tokenizer, reasoning: renderer.reasoningTags, isReasoning: text.isReasoning,
            mayReason: renderer.mentionsReasoning && options.reasoning != .off, deadline: deadline)
    }

    /// Generates the reply.
    ///
    /// - Throws: ``/ParleyConversation/ConversationError``.
    func generate(to writer: ResponseWriter) async throws -> GenerationOutcome {
        do {
            return try await parts.timelines.withTimeline(for: request.conversationID) { timeline in
                writer.acceptPrompt(prompt.prepared.report)
                return try await withTaskExecutorPreference(executor) {
                    try await generate(on: timeline, to: writer)
                }
            }
        } catch let error as RuntimeError {
            parts.logger.error("A reply failed.", metadata: ["error": "\(error.code)"])
            let code: ConversationError.Code = error.code == .invalidInput ? .invalidInput : .generationFailed
            throw ConversationError(code, error.message, cause: error)
        }
    }

    /// Where the reply runs: on the engine's thread only where nothing runs that takes long, which would delay all
    /// replies.
    private var executor: (any TaskExecutor)? {
        let isQuick = request.options.functionCallParser?.parser.isQuick ?? true
        return isQuick ? parts.model.executor : nil
    }

    private func generate(on timeline: any TokenTimeline, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let timeout = deadline.map { max($0 - .now, .zero) }
        var (text, constraint) = (text, constraint)
        var generation = try Generation(
            of: prompt.tokens, on: timeline, model: parts.model, sampling: sampling,
            stop: StopRules(maxTokens: request.options.maxTokens, timeout: timeout))
        constraint.force(text.reasoningClosing)
        while let token = try await generation.next(under: &constraint) {
            text.append(token)
            constraint.accept(token, isReasoning: text.isReasoning)
            constraint.force(text.reasoningClosing)
            if text.hasStopped || constraint.isComplete { generation.stop() }
            let parts = text.takeParts()
            if !parts.isEmpty { await writer.write(parts) }
        }
        var reason = try Self.reason(generation.finishReason ?? .stop, constraint.failure)
        let end = text.finish(reason)
        // It may stand in what looked like a call until the end.
        if text.hasStopped { reason = .stop }
        await writer.write(end.parts)
        let stats = GenerationStats(generation.statistics, reasoningTokens: end.reasoningTokens)
        parts.logger.record(stats, reason, prompt.prepared.report)
        return GenerationOutcome(reason, stats: stats, rawOutput: end.rawOutput)
    }

    /// Why the reply has ended; throws where its rule could not be followed.
    private static func reason(
        _ reason: Generation.FinishReason, _ failure: ConstraintError?
    ) throws -> FinishReason {
        switch failure?.code {
        case nil: return FinishReason(reason)
        case .cancelled?: return .cancelled
        case .timedOut?: return .timeout
        default:
            throw ConversationError(
                .invalidInput, "The schema cannot be enforced: \(failure?.description ?? "")", cause: failure)
        }
    }
}

extension Logger {
    /// Notes what a reply took, and what was done to its prompt, in numbers.
    fileprivate func record(_ stats: GenerationStats, _ reason: FinishReason, _ report: PromptReport) {
        debug(
            "A reply has ended.",
            metadata: [
                "reason": "\(reason)", "prompt_tokens": "\(stats.promptTokens)",
                "cached_prompt_tokens": "\(stats.cachedPromptTokens)", "completion_tokens": "\(stats.completionTokens)",
                "reasoning_tokens": "\(stats.reasoningTokens)", "tokens_per_second": "\(stats.tokensPerSecond)",
                "time_to_first_token": "\(stats.timeToFirstToken ?? .zero)", "dropped_turns": "\(report.droppedTurns)",
                "summarised_turns": "\(report.summarisedTurns)", "dropped_images": "\(report.droppedImages)",
            ])
        if report.describesFunctionsInSystemMessage {
            debug("The model's template takes no functions; they were described in the system message.")
        }
    }
}
