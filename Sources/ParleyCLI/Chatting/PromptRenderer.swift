// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON
import ParleyTemplate
package import ParleyTokenizer

/// Turns a conversation into a prompt with a model's own chat template.
package struct PromptRenderer: Sendable {
    /// Whether the template comes from the model's file; else it is ChatML.
    package let isModelsOwn: Bool
    private let template: ChatTemplate

    /// Reads a template.
    ///
    /// - Throws: `TemplateError` where it is not a template.
    package init(_ source: String?) throws {
        isModelsOwn = source != nil
        template = try ChatTemplate(source: source ?? Self.chatML)
    }

    /// What ends a reply beside the model's own tokens: a model without a template may not know ChatML's.
    var stopStrings: [String] { isModelsOwn ? [] : ["<|im_end|>"] }

    /// Renders messages and tokenises the result; control tokens count only where the template wrote them.
    ///
    /// - Throws: `TemplateError`, also where the template refuses the messages.
    package func prompt(for messages: [ChatMessage], tokenizer: Tokenizer) throws -> [TokenID] {
        let segments = try template.render(
            ["messages": .array(messages.map(\.json)), "add_generation_prompt": true],
            constants: Self.constants(of: tokenizer))
        let tokens = tokenizer.encode(segments.map { TextSegment($0) })
        guard tokenizer.addsBeginningOfText, let beginning = tokenizer.beginningOfText, tokens.first != beginning else {
            return tokens
        }
        return [beginning] + tokens
    }

    /// What templates expect to know of a tokenizer: the model's own, so it counts as the template's text.
    static func constants(of tokenizer: Tokenizer) -> JSONObject {
        func spelling(_ id: TokenID?) -> JSONValue { .string(id.flatMap { tokenizer.spelling(of: $0) } ?? "") }
        return ["bos_token": spelling(tokenizer.beginningOfText), "eos_token": spelling(tokenizer.endOfText)]
    }

    /// The form most models without a template were trained on.
    private static let chatML = """
        {% for message in messages %}<|im_start|>{{ message.role }}
        {{ message.content }}<|im_end|>
        {% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
        {% endif %}
        """
}

extension TextSegment {
    fileprivate init(_ segment: TemplateSegment) {
        self.init(segment.text, origin: segment.origin == .template ? .template : .input)
    }
}
