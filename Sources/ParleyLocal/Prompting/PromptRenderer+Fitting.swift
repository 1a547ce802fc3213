// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyRuntime

extension PromptRenderer {
    /// Builds a prompt that fits into the context according to the request's policy.
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
        let kept = try request.contextPolicy.fit(request.messages, for: request.options, context: context) {
            try prompt($0).input.count
        }
        var fitted = try prompt(kept.messages)
        fitted.prepared.report.droppedTurns = kept.droppedTurns
        return fitted
    }
}
