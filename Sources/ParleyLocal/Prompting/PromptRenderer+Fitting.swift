// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect

extension PromptRenderer {
    /// Makes a prompt that fits, by the request's policy.
    ///
    /// Under every policy the prompt may take the context less the new tokens that were asked for. Where none were, or
    /// more than the context, room for one token is enough; but first, where turns may be left out, they are until half
    /// of the context is free.
    ///
    /// - Parameters:
    ///   - request: the messages, functions and options.
    ///   - context: the tokens that prompt and reply may have together.
    ///   - deadline: when to give up.
    /// - Returns: the prompt, which says what was left out.
    /// - Throws: ``/ParleyConversation/ConversationError``, with code `promptExceedsContext` where nothing fits;
    ///   `CancellationError` and ``PromptDeadlinePassed`` as rendering does.
    func fit(
        _ request: GenerationRequest, context: Int, deadline: ContinuousClock.Instant? = nil
    ) throws -> RenderedPrompt {
        // By the number of messages, which is different for each attempt.
        var rendered: [Int: RenderedPrompt] = [:]
        func prompt(_ messages: [ChatMessage]) throws -> RenderedPrompt {
            if let known = rendered[messages.count] { return known }
            let prompt = try render(
                messages, functions: request.functions, options: request.options, deadline: deadline)
            rendered[messages.count] = prompt
            return prompt
        }
        func fitted(_ budget: Int) throws -> RenderedPrompt {
            let fit = try request.contextPolicy.fit(request.messages, budget: budget) { try prompt($0).tokens.count }
            var prompt = try prompt(fit.messages)
            prompt.prepared.report.droppedTurns = fit.droppedTurns
            return prompt
        }
        let budget = Self.budget(request.options, context: context)
        if let asked = request.options.maxTokens, asked < context { return try fitted(budget) }
        if request.contextPolicy != .error {
            do {
                return try fitted(budget)
            } catch let error as ConversationError where error.code == .promptExceedsContext {}
        }
        return try fitted(context - 1)
    }

    /// The most tokens that a prompt should have, where turns may be left out.
    static func budget(_ options: GenerationOptions, context: Int) -> Int {
        let asked = options.maxTokens.map { max($0, 1) } ?? context
        return context - (asked < context ? asked : context / 2)
    }
}
