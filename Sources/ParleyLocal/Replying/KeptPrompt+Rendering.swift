// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyRuntime
import ParleyTokenizer

extension KeptPrompt {
    /// The prompt as the model reads it.
    ///
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `invalidInput` for no tokens and for those that
    ///   the model does not have.
    func rendered(for model: any TokenModel, _ support: FunctionCallSupport) throws -> RenderedPrompt {
        let vocabulary = 0..<TokenID(clamping: model.tokenizer.vocabularySize)
        guard !tokens.isEmpty else { throw ConversationError(.invalidInput, "The prompt must not be empty.") }
        if let other = tokens.first(where: { !vocabulary.contains($0) }) {
            throw ConversationError(
                .invalidInput, "The prompt has the token \(other), which the model does not have.")
        }
        // What the functions and the schema added to the messages is in the tokens; here they make the rule alone.
        let prepared = PreparedPrompt(messages: [], functions: functions, options: options, support: support)
        return RenderedPrompt(
            input: ModelInput(tokens), prepared: prepared, startsInsideReasoning: startsInsideReasoning)
    }
}
