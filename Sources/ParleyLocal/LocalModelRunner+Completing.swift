// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyDialect
import ParleyRuntime
import ParleyTokenizer

extension LocalModelRunner: TextCompleting {
    /// Continues a text; see ``TextCompleting/complete(_:to:)``.
    ///
    /// - Throws: ``ConversationError``.
    public func complete(_ request: CompletionRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        try await generate(to: writer, within: request.options.timeout) { parts, sampling, deadline in
            var options = request.options
            options.functionCallParser = .rawText
            let tokens = try Self.tokens(of: request, parts.model.tokenizer)
            // As for chats, a budget beyond the context is that of the context.
            let asked = options.maxTokens.map { $0 < contextSize ? max($0, 1) : 1 } ?? 1
            guard tokens.count + asked <= contextSize else {
                throw ConversationError.promptExceedsContext(
                    promptTokens: tokens.count, contextTokens: contextSize - asked)
            }
            var prompt = try KeptPrompt(tokens: tokens, options: options)
                .rendered(for: parts.model, parts.renderer.functionCalls)
            (prompt.isRaw, prompt.isScored) = (true, request.scoresPrompt)
            let messages = GenerationRequest(
                messages: [], options: options, conversationID: request.conversationID,
                cacheScope: request.cacheScope)
            return try LocalReply(messages, prompt, parts: parts, sampling: sampling, deadline: deadline)
        }
    }

    private static func tokens(of request: CompletionRequest, _ tokenizer: Tokenizer) throws -> [TokenID] {
        let text: String
        switch request.prompt {
        case .tokens(let tokens):
            guard request.suffix == nil else {
                throw ConversationError(.invalidInput, "A suffix goes with a text, not with tokens.")
            }
            return tokens
        case .text(let given): text = given
        }
        let beginning = tokenizer.addsBeginningOfText ? tokenizer.beginningOfText.map { [$0] } ?? [] : []
        func encoded(_ text: String) -> [TokenID] { tokenizer.encode(text, specialTokens: .parsed) }
        guard let suffix = request.suffix else {
            let tokens = encoded(text)
            return tokens.starts(with: beginning) ? tokens : beginning + tokens
        }
        guard let fill = tokenizer.fillInMiddle else {
            throw ConversationError(
                .invalidInput, "The model has no tokens to fill in the middle of a text; leave the suffix out.")
        }
        return beginning + [fill.prefix] + encoded(text) + [fill.suffix] + encoded(suffix) + [fill.middle]
    }
}
