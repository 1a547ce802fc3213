// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
package import ParleyConversation
package import ParleyJSON
package import ParleyRuntime
import ParleyTemplate
package import ParleyTokenizer

/// Turns a conversation into a prompt with a model's own chat template.
package struct PromptRenderer: Sendable {
    /// Whether the template comes from the model's file; else it is ChatML.
    package let isModelsOwn: Bool
    /// How the model is told of functions and how it calls them.
    package let functionCalls: FunctionCallSupport
    /// The tags between which the model reasons.
    package let reasoningTags: ReasoningTags
    /// Whether the template knows of reasoning at all.
    let mentionsReasoning: Bool

    private let template: ChatTemplate
    private let tokenizer: Tokenizer
    /// The model, where it sees.
    private let images: (any ImageTokenModel)?

    /// Reads a template.
    ///
    /// - Parameter images: gives the tokens of images; without it they are left out.
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `modelLoadingFailed` where it is not a template.
    package init(_ source: String?, tokenizer: Tokenizer, images: (any ImageTokenModel)? = nil) throws {
        self.images = images
        isModelsOwn = source != nil
        let source = source ?? Self.chatML
        do {
            template = try ChatTemplate(source: source)
        } catch {
            throw ConversationError(.modelLoadingFailed, "The chat template cannot be read: \(error)", cause: error)
        }
        self.tokenizer = tokenizer
        functionCalls = FunctionCallSupport(template: source)
        reasoningTags = ReasoningTags(template: source)
        mentionsReasoning = source.contains(reasoningTags.opening) || source.contains(reasoningTags.closing)
    }

    /// What ends a reply beside the model's own tokens: a model without a template may not know ChatML's.
    var stopStrings: [String] { isModelsOwn ? [] : ["<|im_end|>"] }

    /// Makes the very prompt that is sent, functions and schema included. Control tokens count only where the template
    /// wrote them.
    ///
    /// - Throws: ``/ParleyConversation/ConversationError``, also where the template refuses the messages.
    package func render(
        _ messages: [ChatMessage], functions: [Function], options: GenerationOptions
    ) throws -> RenderedPrompt {
        var prepared = PreparedPrompt(
            messages: messages, functions: functions, options: options, support: functionCalls)
        let shown = prepared.messages.flatMap(\.images)
        let markers = images == nil || shown.isEmpty ? nil : ImageMarkers(shown)
        if images == nil { prepared.report.droppedImages = shown.count }
        var segments = try segments(of: prepared, markers, reasoning: options.reasoning)
        var isReasoning = reasoningTags.areOpen(atEndOf: segments.suffix(2).map(\.text).joined())
        if isReasoning, options.reasoning == .off {
            segments.append(TextSegment("\n\(reasoningTags.closing)\n\n", origin: .template))
            isReasoning = false
        }
        var tokens = try self.tokens(of: markers?.pieces(of: segments) ?? [.text(segments)])
        if tokenizer.addsBeginningOfText, let beginning = tokenizer.beginningOfText, tokens.first != beginning {
            tokens.insert(beginning, at: 0)
        }
        return RenderedPrompt(tokens: tokens, prepared: prepared, startsInsideReasoning: isReasoning)
    }

    private func tokens(of pieces: [ImageMarkers.Piece]) throws -> [TokenID] {
        try pieces.flatMap { piece in
            switch piece {
            case .text(let segments): return tokenizer.encode(segments)
            case .image(let bytes):
                do {
                    return try images?.tokens(ofImage: bytes) ?? []
                } catch let error as RuntimeError {
                    throw ConversationError(.invalidInput, error.message, cause: error)
                }
            }
        }
    }

    private func segments(
        of prompt: PreparedPrompt, _ markers: ImageMarkers?, reasoning: ReasoningMode
    ) throws -> [TextSegment] {
        let writer = TemplateMessageWriter(
            takesCalls: functionCalls.takesFunctions, takesReasoning: template.source.contains("reasoning_content"),
            markers: markers)
        var context: JSONObject = [
            "messages": .array(try prompt.messages.map(writer.json)), "add_generation_prompt": true,
        ]
        if !prompt.functions.isEmpty { context["tools"] = .array(prompt.functions.map(\.json)) }
        if reasoning != .automatic {
            // Qwen's name and the other one in use.
            context["enable_thinking"] = .bool(reasoning == .on)
            context["thinking"] = .bool(reasoning == .on)
        }
        do {
            return try template.render(context, constants: Self.constants(of: tokenizer)).map {
                TextSegment($0.text, origin: $0.origin == .template ? .template : .input)
            }
        } catch {
            let code: ConversationError.Code = error.code == .raisedByTemplate ? .invalidInput : .generationFailed
            throw ConversationError(code, "The chat template failed: \(error)", cause: error)
        }
    }

    /// What templates expect to know of a tokenizer: the model's own, so it counts as the template's text.
    package static func constants(of tokenizer: Tokenizer) -> JSONObject {
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

/// A prompt ready to run.
package struct RenderedPrompt: Sendable {
    /// The prompt.
    package var tokens: [TokenID]
    /// What went into the template, and what was done to make it.
    package var prepared: PreparedPrompt
    /// Whether the template has opened the tag of reasoning.
    package var startsInsideReasoning: Bool
}

extension ChatMessage {
    fileprivate var images: [Data] {
        content.compactMap { if case .image(let bytes) = $0 { bytes } else { nil } }
    }
}
