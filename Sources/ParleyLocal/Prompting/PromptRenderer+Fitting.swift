// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension PromptRenderer {
    /// Makes a prompt that fits, by the request's policy.
    ///
    /// Turns are left out until there is room for the reply that was asked for, or for half a context. Where that
    /// cannot be, and where nothing may be left out, room for one token is enough.
    ///
    /// - Parameter context: the tokens that prompt and reply may have together.
    /// - Throws: ``/ParleyConversation/ConversationError``, with code `promptExceedsContext` where nothing fits.
    func fit(_ request: GenerationRequest, context: Int) throws -> RenderedPrompt {
        // By the number of messages, which differs between all that are tried.
        var rendered: [Int: RenderedPrompt] = [:]
        func count(_ messages: [ChatMessage]) throws -> Int {
            if let known = rendered[messages.count] { return known.tokens.count }
            let prompt = try render(messages, functions: request.functions, options: request.options)
            rendered[messages.count] = prompt
            return prompt.tokens.count
        }
        func fitted(_ budget: Int) throws -> RenderedPrompt {
            let fit = try request.contextPolicy.fit(request.messages, budget: budget, count: count)
            guard var prompt = rendered[fit.messages.count] else {
                return try render(fit.messages, functions: request.functions, options: request.options)
            }
            prompt.prepared.report.droppedTurns = fit.droppedTurns
            return prompt
        }
        if request.contextPolicy == .dropOldestTurns {
            do {
                return try fitted(context - min(request.options.maxTokens ?? context, context / 2))
            } catch let error as ConversationError where error.code == .promptExceedsContext {}
        }
        return try fitted(context - 1)
    }
}
