// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyRuntime

/// One reply of a local model, from the request to the outcome.
struct LocalReply: Sendable {
    private let request: GenerationRequest
    private let parts: LoadedParts
    private let prompt: RenderedPrompt
    private let sampling: SamplingOptions
    private let guide: ReplyGuide
    private let start: ContinuousClock.Instant

    /// Makes the prompt and the rules of the reply. Its time runs from here on.
    ///
    /// - Parameter sampling: what says how to sample, the most important first.
    /// - Throws: ``/ParleyConversation/ConversationError``.
    init(
        _ request: GenerationRequest, parts: LoadedParts, contextSize: Int, sampling: [SamplingOptions.Partial]
    ) throws {
        start = .now
        self.request = request
        self.parts = parts
        let options = request.options
        self.sampling = SamplingOptions(resolving: sampling, seed: options.seed)
        do {
            try self.sampling.validate()
        } catch {
            throw ConversationError(.invalidInput, "The \(error.message).", cause: error)
        }
        let renderer = parts.renderer
        prompt = try renderer.fit(request, context: contextSize)
        let rule = try AnswerRule(prompt.prepared, options, parts.constraints)
        let configuration = ResponseRouter.Configuration(
            reasoning: renderer.reasoningTags, startsInsideReasoning: prompt.startsInsideReasoning,
            maxReasoningTokens: options.maxReasoningTokens, functionCalls: prompt.prepared.functionCallFormat,
            functionNames: Set(prompt.prepared.callableFunctions.map(\.name)), usedCallIDs: request.usedCallIDs,
            stop: options.stop + renderer.stopStrings)
        guide = ReplyGuide(
            ReplyState(
                tokenizer: parts.model.tokenizer, configuration: configuration, rule: rule,
                mayReason: renderer.mentionsReasoning && options.reasoning != .off))
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
            let code: ConversationError.Code = error.code == .invalidInput ? .invalidInput : .generationFailed
            throw ConversationError(code, error.message, cause: error)
        }
    }

    /// Where the reply runs: in the engine's own thread nobody's code runs but ours, for it would hold up all replies.
    private var executor: (any TaskExecutor)? {
        let parser = request.options.functionCallParser?.parser
        let isOurs = parser == nil || parser is JSONCallParser || parser is PythonicCallParser
        return isOurs ? parts.model.executor : nil
    }

    private func generate(on timeline: any TokenTimeline, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let options = request.options
        let generation = Generation(
            of: prompt.tokens, on: timeline, model: parts.model, sampling: sampling,
            stop: StopRules(
                maxTokens: options.maxTokens, timeout: options.timeout.map { max($0 - (.now - start), .zero) }),
            constraint: guide)
        for try await event in generation {
            switch event {
            case .text: await writer.write(guide.takeParts())
            case .finished(let reason, let statistics):
                let reason = ParleyConversation.FinishReason(reason)
                let end = guide.finish(reason)
                await writer.write(end.parts)
                return GenerationOutcome(
                    reason, stats: GenerationStats(statistics, reasoningTokens: end.reasoningTokens),
                    rawOutput: end.rawOutput)
            }
        }
        throw CancellationError()
    }
}
