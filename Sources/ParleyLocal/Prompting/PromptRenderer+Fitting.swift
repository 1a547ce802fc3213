// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyRuntime

extension PromptRenderer {
    /// Builds a prompt that fits into the context according to the request's policy.
    ///
    /// Under every policy, the prompt may take the context minus the requested number of new tokens. If no number is
    /// requested, or one larger than the context, room for a single token is enough. In that case, policies that may
    /// drop turns first drop them until half of the context is free.
    ///
    /// - Parameters:
    ///   - request: the messages, functions and options.
    ///   - context: the maximum number of tokens in prompt and reply together.
    ///   - deadline: the time after which to give up; nil for no limit.
    /// - Returns: the prompt, which records what was left out.
    /// - Throws: ``/ParleyConversation/ConversationError``, with code `promptExceedsContext` if the prompt does not
    ///   fit; `CancellationError` and ``PromptDeadlinePassed`` as in rendering.
    func fit(
        _ request: GenerationRequest, context: Int, deadline: ContinuousClock.Instant? = nil
    ) throws -> RenderedPrompt {
        // By the number of messages, which differs between attempts.
        var rendered: [Int: RenderedPrompt] = [:]
        func prompt(_ messages: [ChatMessage]) throws -> RenderedPrompt {
            if let known = rendered[messages.count] { return known }
            let prompt = try render(
                messages, functions: request.functions, options: request.options, deadline: deadline)
            rendered[messages.count] = prompt
            return prompt
        }
        func fitted(_ budget: Int) throws -> RenderedPrompt {
            let fit = try request.contextPolicy.fit(request.messages, budget: budget) { try prompt($0).input.count }
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

    /// The number of tokens that a prompt should not exceed if turns may be dropped.
    static func budget(_ options: GenerationOptions, context: Int) -> Int {
        let asked = options.maxTokens.map { max($0, 1) } ?? context
        return context - (asked < context ? asked : context / 2)
    }
}
