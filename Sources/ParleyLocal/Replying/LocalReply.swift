// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyFiles
import ParleyModels
import ParleyRuntime
import ParleyTokenizer

/// The generation of one reply with a local model, from the request to the outcome.
struct LocalReply: Sendable {
    private let request: GenerationRequest
    private let parts: LoadedParts
    private let prompt: RenderedPrompt
    private let sampling: SamplingOptions
    private let text: ReplyText
    private let constraint: AnswerConstraint
    /// The time at which the reply must end; building the prompt counts towards it.
    private let deadline: ContinuousClock.Instant?

    /// Prepares a reply and compiles its rules.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - prompt: the prompt, which fits into the context.
    ///   - parts: the model, and what is kept for its conversations.
    ///   - sampling: the values, in range, for options that the request leaves open.
    ///   - deadline: the time at which the reply must end; nil for no limit.
    /// - Throws: ``/ParleyConversation/ConversationError``; `CancellationError` if the task is cancelled;
    ///   ``PromptDeadlinePassed``.
    init(
        _ request: GenerationRequest, _ prompt: RenderedPrompt, parts: LoadedParts, sampling: SamplingOptions,
        deadline: ContinuousClock.Instant?
    ) throws {
        self.request = request
        self.parts = parts
        self.prompt = prompt
        self.deadline = deadline
        let options = request.options
        if let wrong = options.sampling.outOfRange { throw ConversationError(.invalidInput, "The \(wrong).") }
        let vocabulary = 0..<TokenID(clamping: parts.model.tokenizer.vocabularySize)
        if let wrong = options.sampling.logitBias?.keys.filter({ !vocabulary.contains($0) }).min() {
            throw ConversationError(
                .invalidInput, "The logit bias names token \(wrong), which the model does not have.")
        }
        var filled = options.sampling.filled(from: sampling)
        // Drawn here, so that the report can tell it.
        filled.seed = filled.seed ?? .random(in: .min ... .max)
        self.sampling = filled
        let renderer = parts.renderer
        let rule = try Self.rule(prompt, options, parts, deadline)
        let configuration = ResponseRouter.Configuration(
            reasoning: prompt.isRaw ? nil : renderer.reasoningTags, startsInsideReasoning: prompt.startsInsideReasoning,
            maxReasoningTokens: options.maxReasoningTokens, functionCalls: prompt.prepared.functionCallFormat,
            functionNames: Set(prompt.prepared.callableFunctions.map(\.name)), usedCallIDs: request.usedCallIDs,
            stop: options.stop + (prompt.isRaw ? [] : renderer.stopStrings))
        text = ReplyText(parts.model.tokenizer, configuration)
        constraint = AnswerConstraint(
            rule, tokenizer: parts.model.tokenizer, reasoning: renderer.reasoningTags, isReasoning: text.isReasoning,
            mayReason: !prompt.isRaw && renderer.mentionsReasoning && options.reasoning != .off, deadline: deadline)
    }

    /// The rule of the answer, which has a time of its own: a schema may be small and its rule not.
    private static func rule(
        _ prompt: RenderedPrompt, _ options: GenerationOptions, _ parts: LoadedParts,
        _ deadline: ContinuousClock.Instant?
    ) throws -> AnswerRule {
        if options.schemaTimeout != nil,
            options.jsonSchemaConstraint != nil || !prompt.prepared.callableFunctions.isEmpty
        {
            try parts.constraints.prepare(deadline: deadline)
        }
        let own = options.schemaTimeout.map { ContinuousClock.now + $0 }
        let first = [own, deadline].compactMap(\.self).min()
        do {
            let tags = prompt.isRaw || options.continuesLastMessage ? nil : parts.renderer.reasoningTags
            return try AnswerRule(prompt.prepared, options, parts.constraints, headers: tags, deadline: first)
        } catch is PromptDeadlinePassed {
            if let deadline, ContinuousClock.now >= deadline { throw PromptDeadlinePassed() }
            throw ConversationError(
                .invalidInput, "The schema takes too long to prepare; make it smaller, or repeat and nest less in it.")
        }
    }

    /// Generates the reply.
    ///
    /// - Throws: ``/ParleyConversation/ConversationError``.
    func generate(to writer: ResponseWriter) async throws -> GenerationOutcome {
        do {
            return try await parts.timelines.withTimeline(
                for: request.conversationID, scope: request.cacheScope, prompt: prompt.input,
                reply: request.options.maxTokens, deadline: deadline,
                waiting: { writer.report(.queued(place: $0)) }
            ) { lease in
                var report = report
                if prompt.isScored {
                    report.probabilities = try await score(on: lease.timeline)
                    lease.reached(lease.timeline.contents.count)
                }
                writer.acceptPrompt(report)
                let outcome = try await withTaskExecutorPreference(executor) {
                    try await generate(on: lease, to: writer)
                }
                // Not on the engine's thread, because an app's handler of logs may take its time.
                parts.logger.record(outcome, prompt.prepared.report)
                return outcome
            }
        } catch let error as RuntimeError {
            // A mistake of whoever asks is no failure of what answers.
            let level: Logger.Level = error.code == .invalidInput ? .debug : .error
            parts.logger.log(level: level, "A reply failed.", metadata: ["error": "\(error.code)"])
            throw ConversationError(error)
        }
    }

    /// How the prompt was made, with what it takes to make the reply again.
    private var report: PromptReport {
        var report = prompt.prepared.report
        let tokens = prompt.input.tokens
        report.tokens = tokens
        var bytes = Data(capacity: tokens.count * 4)
        for token in tokens { withUnsafeBytes(of: token.littleEndian) { bytes.append(contentsOf: $0) } }
        report.digest = SHA256Hash.hexadecimal(of: bytes)
        report.sampling = sampling
        report.images = prompt.input.embeddings.count
        report.startsInsideReasoning = prompt.startsInsideReasoning
        return report
    }

    /// The executor of the reply: the engine's thread, unless parsing or masks may take long, which would delay all
    /// replies.
    private var executor: (any TaskExecutor)? {
        let isQuick = request.options.functionCallParser?.parser.isQuick ?? true
        return isQuick && constraint.isFree ? parts.model.executor : nil
    }

    private func generate(
        on lease: TimelineLease, to writer: ResponseWriter
    ) async throws -> GenerationOutcome {
        let timeout = deadline.map { max($0 - .now, .zero) }
        var (text, constraint) = (text, constraint)
        let total = prompt.input.count
        var generation = try Generation(
            of: prompt.input, on: lease.timeline, model: parts.model, sampling: sampling,
            stop: StopRules(maxTokens: request.options.maxTokens, timeout: timeout),
            likelyTokens: request.options.likelyTokens, client: request.client,
            reached: { count in
                lease.reached(count)
                writer.report(.reading(min(count, total), of: total))
            })
        writer.report(.reading(generation.statistics.cachedPromptTokens, of: total))
        defer { parts.drafts.add(generation) }
        var tokens: [TokenID] = []
        var likelihoods = AnswerLikelihoods()
        constraint.force(text.reasoningClosing)
        while try await generation.readNextPiece() {
            if lease.lacksRoom(for: generation) { try await lease.makeRoom(for: &generation) }
        }
        while let token = try await generation.next(under: &constraint) {
            tokens.append(token)
            let wasAnswer = text.isAnswer
            text.append(token)
            if let likelihood = generation.likelihood, wasAnswer, text.isAnswer {
                likelihoods.append(probability(likelihood), bytes: text.addedBytes(of: token))
            }
            constraint.accept(token, isReasoning: text.isReasoning)
            constraint.force(text.reasoningClosing)
            if text.hasStopped || constraint.isComplete { generation.stop() }
            let parts = text.takeParts()
            let known = likelihoods.take(with: parts)
            if wasAnswer, !text.isAnswer || text.hasHiddenTag { likelihoods.leaveOutTag() }
            if !known.isEmpty { writer.report(known) }
            if !parts.isEmpty { await writer.write(parts) }
            if lease.lacksRoom(for: generation) { try await lease.makeRoom(for: &generation) }
        }
        var reason = try Self.reason(generation.finishReason ?? .stop, constraint.failure)
        let end = text.finish(reason)
        // A stop string may be found only now, in text that looked like a function call until the end.
        if text.hasStopped { reason = .stop }
        let rest = likelihoods.finish(with: end.parts, hasStopped: text.hasStopped)
        if request.options.likelyTokens != nil { writer.report(rest) }
        await writer.write(end.parts)
        var stats = GenerationStats(generation.statistics, reasoningTokens: end.reasoningTokens)
        // To be scored the prompt was read whole.
        if prompt.isScored { stats.cachedPromptTokens = 0 }
        var outcome = GenerationOutcome(reason, stats: stats, rawOutput: end.rawOutput)
        outcome.tokens = tokens
        outcome.stopString = text.stopString.flatMap { request.options.stop.contains($0) ? $0 : nil }
        return outcome
    }

    /// The probabilities of the prompt's tokens, of which that of the first means nothing.
    ///
    /// - Throws: any error of the timeline's steps, including `CancellationError`; ``PromptDeadlinePassed``.
    private func score(on timeline: any TokenTimeline) async throws -> [TokenProbability] {
        let tokens = prompt.input.tokens
        guard let first = tokens.first else { return [] }
        let read = try await PromptLikelihood.read(
            tokens, on: timeline, top: request.options.likelyTokens ?? 0, client: request.client,
            check: { if let deadline, ContinuousClock.now >= deadline { throw PromptDeadlinePassed() } })
        let start = TokenProbability(candidate(.init(token: first, logprob: 0)))
        return [start] + read.map(probability)
    }

    private func probability(_ likelihood: TokenLikelihood) -> TokenProbability {
        TokenProbability(candidate(likelihood.chosen), top: likelihood.top.map(candidate))
    }

    private func candidate(_ candidate: TokenLikelihood.Candidate) -> TokenProbability.Candidate {
        TokenProbability.Candidate(
            token: candidate.token,
            bytes: parts.model.tokenizer.bytes(of: candidate.token, showsControlTokens: true),
            logprob: candidate.logprob)
    }

    /// The reason for which the reply ended; throws if its rule could not be enforced.
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
    /// Logs the figures of a reply and the changes made to its prompt.
    fileprivate func record(_ outcome: GenerationOutcome, _ report: PromptReport) {
        guard let stats = outcome.stats else { return }
        debug(
            "A reply has ended.",
            metadata: [
                "reason": "\(outcome.finishReason)", "prompt_tokens": "\(stats.promptTokens)",
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
