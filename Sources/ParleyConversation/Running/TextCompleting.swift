// SPDX-License-Identifier: Apache-2.0

/// A runner that continues a text as it stands, without a chat template; an optional capability.
public protocol TextCompleting: ModelRunner {
    /// Continues a text.
    ///
    /// Everything that the model writes is text: reasoning and function calls are not recognised. The report that comes
    /// with the acceptance of the prompt has its tokens and, if they are wanted, their probabilities. For the rest it is
    /// as ``ModelRunner/generate(_:to:)``.
    ///
    /// - Throws: ``ConversationError``, with code `promptExceedsContext` if the text does not fit, `invalidInput` for
    ///   tokens that the model does not have and for a suffix where the model has no tokens for one.
    func complete(_ request: CompletionRequest, to writer: ResponseWriter) async throws -> GenerationOutcome
}

/// A request to continue a text.
public struct CompletionRequest: Sendable {
    /// A text to continue.
    public enum Prompt: Hashable, Sendable {
        /// A text, in which the spellings of control tokens are such tokens.
        case text(String)
        /// The ids of tokens, all of them.
        case tokens([Int32])
    }

    /// The text to continue.
    public var prompt: Prompt
    /// The text that comes after what the model writes; nil if nothing is known of it.
    public var suffix: String?
    /// The options of the generation; what is about messages has no effect.
    public var options: GenerationOptions
    /// Whether the probabilities of the prompt's tokens are told, with as many of the most likely ones as
    /// ``GenerationOptions/likelyTokens`` says. The whole prompt is read for it.
    public var scoresPrompt: Bool
    /// The conversation that the request belongs to, which lets the runner reuse the cache of an earlier request.
    public var conversationID: ConversationID
    /// Whose cache the request may use besides that of its conversation; see ``GenerationRequest/cacheScope``.
    public var cacheScope: String

    /// Creates a request.
    public init(
        _ prompt: Prompt, suffix: String? = nil, options: GenerationOptions = GenerationOptions(),
        scoresPrompt: Bool = false, conversationID: ConversationID = ConversationID(),
        cacheScope: String = ""
    ) {
        self.prompt = prompt
        self.suffix = suffix
        self.options = options
        self.scoresPrompt = scoresPrompt
        self.conversationID = conversationID
        self.cacheScope = cacheScope
    }
}
