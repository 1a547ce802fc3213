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

    /// Makes the prompt and the rules of the reply.
    ///
    /// - Parameter sampling: what the model's makers recommend, the most important first.
    /// - Throws: ``/ParleyConversation/ConversationError``.
    init(
        _ request: GenerationRequest, parts: LoadedParts, contextSize: Int, sampling: [SamplingOptions.Partial]
    ) throws {
        self.request = request
        self.parts = parts
        let options = request.options
        do {
            self.sampling = try SamplingOptions(
                resolving: options.sampling, recommended: sampling, seed: options.seed)
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
                return try await withTaskExecutorPreference(parts.model.executor) {
                    try await generate(on: timeline, to: writer)
                }
            }
        } catch let error as RuntimeError {
            let code: ConversationError.Code = error.code == .invalidInput ? .invalidInput : .generationFailed
            throw ConversationError(code, error.message, cause: error)
        }
    }

    private func generate(on timeline: any TokenTimeline, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let options = request.options
        let generation = Generation(
            of: prompt.tokens, on: timeline, model: parts.model, sampling: sampling,
            stop: StopRules(maxTokens: options.maxTokens, timeout: options.timeout), constraint: guide)
        for try await event in generation {
            switch event {
            case .text: writer.write(guide.takeParts())
            case .finished(let reason, let statistics):
                let reason = ParleyConversation.FinishReason(reason)
                let end = guide.finish(reason)
                writer.write(end.parts)
                return GenerationOutcome(
                    reason, stats: GenerationStats(statistics, reasoningTokens: end.reasoningTokens),
                    rawOutput: end.rawOutput)
            }
        }
        throw CancellationError()
    }
}
