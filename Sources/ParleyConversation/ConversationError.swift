// SPDX-License-Identifier: Apache-2.0

/// An error of a conversation: what happened and how to remedy it.
///
/// Prompts and replies never appear in the message.
public struct ConversationError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The model could not be loaded.
        public static let modelLoadingFailed = Code(description: "modelLoadingFailed")
        /// The model is not, or no longer, in memory.
        public static let modelNotLoaded = Code(description: "modelNotLoaded")
        /// The engine or the server failed while it generated.
        public static let generationFailed = Code(description: "generationFailed")
        /// There is not enough memory for another reply; the message has the sum.
        public static let insufficientMemory = Code(description: "insufficientMemory")
        /// A conversation could not be written or read.
        public static let serializationFailed = Code(description: "serializationFailed")
        /// The prompt does not fit into the model's context.
        public static let promptExceedsContext = Code(description: "promptExceedsContext")
        /// The caller passed an invalid value.
        public static let invalidInput = Code(description: "invalidInput")
        /// The model's call of a function could not be read.
        public static let functionCallParsingFailed = Code(description: "functionCallParsingFailed")
        /// A model could not be downloaded.
        public static let downloadFailed = Code(description: "downloadFailed")
        /// The conversation is generating another reply, and its policy is to throw.
        public static let busy = Code(description: "busy")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?
    /// For `promptExceedsContext`: the length of the prompt in tokens.
    public private(set) var promptTokens: Int?
    /// For `promptExceedsContext`: the maximum length of a prompt in tokens.
    public private(set) var contextTokens: Int?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The error for a prompt that does not fit.
    ///
    /// - Parameters:
    ///   - promptTokens: the length of the prompt in tokens.
    ///   - contextTokens: the maximum length of a prompt in tokens: the context without what is reserved for the reply.
    /// - Returns: the error, with code `promptExceedsContext`.
    public static func promptExceedsContext(promptTokens: Int, contextTokens: Int) -> ConversationError {
        var error = ConversationError(
            .promptExceedsContext,
            """
            The prompt has \(promptTokens) tokens and only \(contextTokens) fit. Shorten it, drop old turns \
            (ContextPolicy.dropOldestTurns), ask for fewer new tokens (maxTokens) or load the model with a larger \
            context.
            """)
        error.promptTokens = promptTokens
        error.contextTokens = contextTokens
        return error
    }

    /// The error for a text that is too long for a model that makes embeddings.
    ///
    /// - Parameters:
    ///   - name: what the text is called, such as `Text 3`.
    ///   - tokens: its length in tokens.
    ///   - contextTokens: the maximum length in tokens.
    /// - Returns: the error, with code `promptExceedsContext`.
    package static func textExceedsContext(_ name: String, tokens: Int, contextTokens: Int) -> ConversationError {
        var error = ConversationError(
            .promptExceedsContext,
            "\(name) has \(tokens) tokens, but the model takes \(contextTokens) at most. Shorten or divide it, or have it "
                + "truncated.")
        error.promptTokens = tokens
        error.contextTokens = contextTokens
        return error
    }

    /// The message.
    public var description: String { message }
}
