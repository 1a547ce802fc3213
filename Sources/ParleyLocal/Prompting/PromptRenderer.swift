// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
package import ParleyConversation
package import ParleyDialect
package import ParleyJSON
import ParleyModels
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
    /// The tokens that only the template may write.
    private let reserved: ReservedTokens
    /// What the template demands of a history.
    private let demands: HistoryDemands
    /// Whether the template writes reasoning itself.
    private let takesReasoning: Bool
    /// The model, if it sees images.
    private let images: (any ImageTokenModel)?

    /// Reads a template, and renders a few small histories with it to learn what it demands of them.
    ///
    /// - Parameters:
    ///   - source: the model's template; nil takes ChatML.
    ///   - tokenizer: the model's tokenizer.
    ///   - images: gives the tokens of images; without it they are left out.
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `modelLoadingFailed` where it is not a template.
    package init(_ source: String?, tokenizer: Tokenizer, images: (any ImageTokenModel)? = nil) throws {
        self.images = images
        isModelsOwn = source != nil
        let source = source ?? Self.chatML
        let template: ChatTemplate
        do {
            template = try ChatTemplate(source: source)
        } catch {
            throw ConversationError(.modelLoadingFailed, "The chat template cannot be read: \(error)", cause: error)
        }
        self.template = template
        self.tokenizer = tokenizer
        reserved = tokenizer.reservedTokens(writtenBy: source)
        functionCalls = FunctionCallSupport(template: source)
        reasoningTags = ReasoningTags(template: source)
        func mentions(_ text: String) -> Bool { source.contains(text) }
        mentionsReasoning = mentions(reasoningTags.opening) || mentions(reasoningTags.closing)
        takesReasoning = mentions("reasoning_content")
        let constants = Self.constants(of: tokenizer)
        let writer = TemplateMessageWriter(takesCalls: functionCalls.takesFunctions, takesReasoning: takesReasoning)
        // Bounds the time that a hostile template takes for all of them together. What a template demands may not depend
        // on the time that it takes.
        var probed = template
        probed.limits.steps /= 10
        demands = HistoryDemands { messages in
            try? probed.renderText(
                ["messages": .array(messages.map(writer.json)), "add_generation_prompt": true], constants: constants)
        }
    }

    /// What the model can do, as its template and its engine say.
    var capabilities: ModelCapabilities {
        var capabilities: ModelCapabilities = .chat
        if functionCalls.takesFunctions { capabilities.insert(.functions) }
        if mentionsReasoning { capabilities.insert(.reasoning) }
        if images != nil { capabilities.insert(.vision) }
        return capabilities
    }

    /// Stop strings beside the model's own tokens: a model without a template may not have a token for ChatML's end.
    var stopStrings: [String] { isModelsOwn ? [] : ["<|im_end|>"] }

    /// Makes the exact prompt that is sent, functions and schema included. Control tokens count only where the template
    /// wrote them.
    ///
    /// - Parameters:
    ///   - messages: the history, the system message first.
    ///   - functions: the functions that the model may call.
    ///   - options: the schema, reasoning and function calling.
    ///   - deadline: when to give up.
    /// - Returns: the prompt's tokens, and what was done to make them.
    /// - Throws: ``/ParleyConversation/ConversationError``, also where the template refuses the messages;
    ///   `CancellationError` where the task is cancelled, ``PromptDeadlinePassed``.
    package func render(
        _ messages: [ChatMessage], functions: [Function], options: GenerationOptions,
        deadline: ContinuousClock.Instant? = nil
    ) throws -> RenderedPrompt {
        let replay = ReplayRule(tags: reasoningTags, format: options.functionCallParser ?? functionCalls.format)
        var prepared = PreparedPrompt(
            messages: messages.map(replay.settled), functions: functions, options: options, support: functionCalls)
        let shown = prepared.messages.flatMap(\.images)
        let markers = images == nil || shown.isEmpty ? nil : ImageMarkers(shown)
        var segments = try segments(of: prepared, markers, replay.format, deadline)
        // Text of a user at the end does not open reasoning.
        let end = segments.last.flatMap { $0.origin == .template ? $0.text : nil } ?? ""
        var isReasoning = reasoningTags.areOpen(atEndOf: end)
        if isReasoning, options.reasoning == .off {
            segments.append(TextSegment(reasoningTags.forcedClosing, origin: .template))
            isReasoning = false
        }
        let pieces = markers?.pieces(of: segments) ?? [.text(segments)]
        prepared.report.droppedImages = shown.count - pieces.count { if case .image = $0 { true } else { false } }
        var tokens = try self.tokens(of: pieces, deadline)
        if tokenizer.addsBeginningOfText, let beginning = tokenizer.beginningOfText, tokens.first != beginning {
            tokens.insert(beginning, at: 0)
        }
        return RenderedPrompt(tokens: tokens, prepared: prepared, startsInsideReasoning: isReasoning)
    }

    private func tokens(
        of pieces: [ImageMarkers.Piece], _ deadline: ContinuousClock.Instant?
    ) throws -> [TokenID] {
        try pieces.flatMap { piece in
            switch piece {
            case .text(let segments):
                let tokens = tokenizer.encode(segments, reserving: reserved) {
                    !Task.isCancelled && deadline.map { ContinuousClock.now < $0 } ?? true
                }
                if let tokens { return tokens }
                if Task.isCancelled { throw CancellationError() }
                throw PromptDeadlinePassed()
            case .image(let bytes):
                do {
                    return try images?.tokens(ofImage: bytes) ?? []
                } catch let error as RuntimeError {
                    throw ConversationError(.invalidInput, error.message, cause: error)
                }
            }
        }
    }

    /// Renders the messages, changed as the template demands. Where it still refuses them, they are reduced to turns
    /// that every template renders.
    private func segments(
        of prompt: PreparedPrompt, _ markers: ImageMarkers?, _ format: FunctionCallFormat,
        _ deadline: ContinuousClock.Instant?
    ) throws -> [TextSegment] {
        let writer = TemplateMessageWriter(
            takesCalls: functionCalls.takesFunctions, takesReasoning: takesReasoning, markers: markers)
        var context = prompt.variables
        context["add_generation_prompt"] = true
        if !prompt.functions.isEmpty { context["tools"] = .array(prompt.functions.map(\.json)) }
        let constants = Self.constants(of: tokenizer)
        var refused: [[ChatMessage]] = []
        var refusal: TemplateError?
        var isSilent = false
        for demands in [demands, demands.union(.turnsOnly), demands.union([.turnsOnly, .noSystemMessage])] {
            let messages = demands.shape(prompt.messages, spellingCallsAs: format)
            if refused.contains(messages) { continue }
            context["messages"] = .array(try messages.map(writer.json))
            do {
                let segments = try template.render(
                    context, constants: constants, options: RenderingOptions(deadline: deadline))
                guard segments.contains(where: { !$0.text.isEmpty }) else {
                    isSilent = true
                    continue
                }
                return ReplayedTags(reasoningTags, format.parser, tokenizer).marked(
                    segments.map { TextSegment($0.text, origin: $0.origin == .template ? .template : .input) },
                    replies: messages.compactMap(writer.replayed))
            } catch {
                if error.code == .cancelled { throw CancellationError() }
                if error.code == .timedOut { throw PromptDeadlinePassed() }
                refusal = refusal ?? error
                refused.append(messages)
                guard Self.refusals.contains(error.code) else { break }
            }
        }
        throw isSilent && refusal == nil ? Self.silence : Self.error(for: refusal)
    }

    private static let silence = ConversationError(
        .generationFailed,
        "The chat template writes nothing for these messages, so there is no prompt. Load the model with another template."
    )

    /// The errors of a template that was not made for certain messages.
    private static let refusals: Set<TemplateError.Code> = [
        .raisedByTemplate, .undefinedValue, .wrongType, .invalidValue, .forbidden,
    ]

    private static func error(for refusal: TemplateError?) -> ConversationError {
        let isTemplates = refusal?.code == .raisedByTemplate
        return ConversationError(
            isTemplates ? .invalidInput : .generationFailed,
            """
            The chat template failed: \(refusal.map(\.description) ?? "it gave no reason"). \
            \(isTemplates ? "Take out the messages that it refuses" : "Load the model with another template"), or begin \
            a new conversation.
            """, cause: refusal)
    }

    /// The tokenizer's values that templates expect. They are the model's own and count as the template's text.
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

/// A prompt took longer to make than the whole reply may take.
struct PromptDeadlinePassed: Error {}

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
