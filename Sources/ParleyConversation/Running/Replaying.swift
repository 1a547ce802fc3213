// SPDX-License-Identifier: Apache-2.0

/// A runner that generates a reply again from what was kept of it; an optional capability.
package protocol Replaying: ModelRunner {
    /// Generates a reply again from the tokens of its prompt.
    ///
    /// - Parameters:
    ///   - prompt: the prompt as it was kept.
    ///   - writer: receives the parts of the reply.
    /// - Returns: how it ended, with its tokens.
    /// - Throws: ``ConversationError``; `CancellationError` if the task is cancelled before it begins.
    func generate(again prompt: KeptPrompt, to writer: ResponseWriter) async throws -> GenerationOutcome

    /// The text of some tokens, those of tags and of the end included.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded`, or `invalidInput` if an id is no token's.
    func text(of tokens: [Int32]) async throws -> String
}

/// The prompt of an earlier reply as it was kept: what it takes to generate the reply again without the messages.
package struct KeptPrompt: Sendable {
    /// The tokens of the prompt, which has no images.
    package var tokens: [Int32]
    /// Whether it ends inside reasoning.
    package var startsInsideReasoning: Bool
    /// The functions that the model could call.
    package var functions: [Function]
    /// The options of the reply, with the seed and everything else that was in use.
    package var options: GenerationOptions

    /// Creates a prompt.
    package init(
        tokens: [Int32], startsInsideReasoning: Bool = false, functions: [Function] = [], options: GenerationOptions
    ) {
        (self.tokens, self.startsInsideReasoning) = (tokens, startsInsideReasoning)
        (self.functions, self.options) = (functions, options)
    }
}
