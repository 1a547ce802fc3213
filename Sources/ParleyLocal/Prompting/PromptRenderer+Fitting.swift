// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect

extension PromptRenderer {
    /// Makes a prompt that fits, by the request's policy.
    ///
    /// Under every policy the prompt has the context less the new tokens that were asked for. Where none were, or more
    /// than there are, room for one token is enough; but before it comes to that turns are left out, where they may be,
    /// until half a context is free.
    ///
    /// - Parameters:
    ///   - context: the tokens that prompt and reply may have together.
    ///   - deadline: when to give up.
    /// - Throws: ``/ParleyConversation/ConversationError``, with code `promptExceedsContext` where nothing fits;
    ///   `CancellationError` and ``PromptDeadlinePassed`` as rendering does.
    func fit(
        _ request: GenerationRequest, context: Int, deadline: ContinuousClock.Instant? = nil
    ) throws -> RenderedPrompt {
        // By the number of messages, which differs between all that are tried.
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

    /// The tokens that a prompt should have at most, where turns may go.
    static func budget(_ options: GenerationOptions, context: Int) -> Int {
        let asked = options.maxTokens.map { max($0, 1) } ?? context
        return context - (asked < context ? asked : context / 2)
    }
}
