// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import ParleyDialect
import ParleyRuntime
package import ParleyTokenizer

/// The prompt of an earlier reply as it was kept: what it takes to generate the reply again without the messages.
package struct KeptPrompt: Sendable {
    /// The tokens of the prompt, which has no images.
    package var tokens: [TokenID]
    /// Whether it ends inside reasoning.
    package var startsInsideReasoning: Bool
    /// The functions that the model could call.
    package var functions: [Function]
    /// The options of the reply, with the seed and everything else that was in use.
    package var options: GenerationOptions

    /// Creates a prompt.
    package init(
        tokens: [TokenID], startsInsideReasoning: Bool = false, functions: [Function] = [], options: GenerationOptions
    ) {
        (self.tokens, self.startsInsideReasoning) = (tokens, startsInsideReasoning)
        (self.functions, self.options) = (functions, options)
    }

    /// The prompt as the model reads it.
    ///
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `invalidInput` for tokens that the model does not
    ///   have.
    func rendered(for model: any TokenModel, _ support: FunctionCallSupport) throws -> RenderedPrompt {
        let vocabulary = 0..<TokenID(clamping: model.tokenizer.vocabularySize)
        guard !tokens.isEmpty, tokens.allSatisfy(vocabulary.contains) else {
            throw ConversationError(.invalidInput, "The prompt has tokens that the model does not have.")
        }
        // What the functions and the schema added to the messages is in the tokens; here they make the rule alone.
        let prepared = PreparedPrompt(messages: [], functions: functions, options: options, support: support)
        return RenderedPrompt(
            input: ModelInput(tokens), prepared: prepared, startsInsideReasoning: startsInsideReasoning)
    }
}
