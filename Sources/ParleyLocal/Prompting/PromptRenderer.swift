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

/// Renders conversations as prompts with a model's chat template.
package struct PromptRenderer: Sendable {
    /// Whether the template is the model's own; otherwise it is ChatML.
    package let isModelsOwn: Bool
    /// How functions are described to the model and how it writes calls.
    package let functionCalls: FunctionCallSupport
    /// The tags that enclose the model's reasoning.
    package let reasoningTags: ReasoningTags
    /// Whether the template mentions reasoning.
    package let mentionsReasoning: Bool

    private let template: ChatTemplate
    private let tokenizer: Tokenizer
    /// The control tokens, which only the template may write.
    private let reserved: ReservedTokens
    /// The restrictions of the template on the messages.
    private let demands: HistoryDemands
    /// Whether the template renders reasoning itself.
    private let takesReasoning: Bool
    /// Whether the template knows the role of a developer.
    private let takesDeveloper: Bool
    /// The model, if it takes images.
    private let images: (any ImageTokenModel)?

    /// Parses a template, and renders a few small histories with it to determine its restrictions.
    ///
    /// - Parameters:
    ///   - source: the model's template; nil for ChatML.
    ///   - tokenizer: the model's tokenizer.
    ///   - images: makes embeddings of images; without it, images are left out.
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `modelLoadingFailed` if the template is not valid.
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
        // Compared as bytes, because a combining mark after a tag would change its last character.
        func mentions(_ text: String) -> Bool { source.utf8.contains(text.utf8) }
        mentionsReasoning = mentions(reasoningTags.opening) || mentions(reasoningTags.closing)
        takesReasoning = mentions("reasoning_content")
        takesDeveloper = mentions("'developer'") || mentions("\"developer\"")
        let constants = Self.constants(of: tokenizer)
        let writer = TemplateMessageWriter(
            takesCalls: functionCalls.takesFunctions, takesReasoning: takesReasoning,
            writesHeaders: !reasoningTags.answer.isEmpty)
        // A lower limit on steps bounds the total time that a hostile template can take here. A limit on time would
        // make the result depend on the speed of the machine.
        var probed = template
        probed.limits.steps /= 10
        demands = HistoryDemands { messages in
            try? probed.renderText(
                ["messages": .array(messages.map(writer.json)), "add_generation_prompt": true], constants: constants)
        }
    }

    /// The capabilities that the chat template and the engine support.
    var capabilities: ModelCapabilities {
        var capabilities: ModelCapabilities = .chat
        if functionCalls.takesFunctions { capabilities.insert(.functions) }
        if mentionsReasoning { capabilities.insert(.reasoning) }
        if images != nil { capabilities.insert(.vision) }
        return capabilities
    }

    /// Stop strings in addition to the end-of-generation tokens: without its own template, a model may lack a token for
    /// the end of a ChatML message.
    var stopStrings: [String] { isModelsOwn ? [] : ["<|im_end|>"] }

    /// Builds the prompt that is sent to the model, including functions and the answer's schema.
    ///
    /// Text becomes control tokens only if the template wrote it.
    ///
    /// - Parameters:
    ///   - messages: the history; a system message comes first.
    ///   - functions: the functions that the model may call.
    ///   - options: the schema, reasoning and function calling.
    ///   - deadline: the time after which to give up; nil for no limit.
    /// - Returns: the prompt as the model reads it, and a record of how it was made.
    /// - Throws: ``/ParleyConversation/ConversationError``, also if the template refuses the messages;
    ///   `CancellationError` if the task is cancelled; ``PromptDeadlinePassed``.
    package func render(
        _ messages: [ChatMessage], functions: [Function], options: GenerationOptions,
        deadline: ContinuousClock.Instant? = nil
    ) throws -> RenderedPrompt {
        let format = (options.functionCallParser ?? functionCalls.format).reading(callsOf: functions)
        let replay = ReplayRule(tags: reasoningTags, format: format)
        var prepared = PreparedPrompt(
            messages: messages.map { settled($0, replay) }, functions: functions, options: options,
            support: functionCalls)
        let shown = prepared.messages.flatMap(\.images)
        let markers = images == nil || shown.isEmpty ? nil : ImageMarkers(shown)
        var segments = try segments(
            of: prepared, markers, format, continues: options.continuesLastMessage, deadline)
        if options.continuesLastMessage { segments = try Self.cut(segments, afterTextOf: prepared.messages.last) }
        // A reasoning tag in the text of a message, even at the end, does not begin reasoning.
        let end = segments.last.flatMap { $0.origin == .template ? $0.text : nil } ?? ""
        var isReasoning = reasoningTags.areOpen(atEndOf: end)
        if isReasoning, options.reasoning == .off {
            segments.append(TextSegment(reasoningTags.forcedClosing(mayCall: false), origin: .template))
            isReasoning = false
        }
        let pieces = markers?.pieces(of: segments) ?? [.text(segments)]
        prepared.report.droppedImages = shown.count - pieces.count { if case .image = $0 { true } else { false } }
        let input = try self.input(of: pieces, deadline)
        return RenderedPrompt(input: input, prepared: prepared, startsInsideReasoning: isReasoning)
    }

    /// A message as the template takes it.
    private func settled(_ message: ChatMessage, _ replay: ReplayRule) -> ChatMessage {
        var message = replay.settled(message)
        if message.role == .developer, !takesDeveloper { message.role = .system }
        return message
    }

    private func input(of pieces: [ImageMarkers.Piece], _ deadline: ContinuousClock.Instant?) throws -> ModelInput {
        var input = ModelInput()
        for piece in pieces {
            switch piece {
            case .text(let segments): input.append(try tokens(of: segments, deadline))
            case .image(let bytes):
                guard let images else { continue }
                do {
                    // Whoever brought it here may not have looked, and a decoder takes what the header states.
                    try ImageSize.check(bytes)
                    input.append(try images.input(ofImage: bytes))
                } catch let error as ImageSize.Fault {
                    throw ConversationError(.invalidInput, "The image \(error).", cause: error)
                } catch let error as RuntimeError {
                    throw ConversationError(.invalidInput, error.message, cause: error)
                }
            }
        }
        guard tokenizer.addsBeginningOfText, let beginning = tokenizer.beginningOfText else { return input }
        if case .tokens(let tokens) = input.part(at: 0), tokens.first == beginning { return input }
        var whole: ModelInput = [beginning]
        whole.append(input)
        return whole
    }

    /// The tokens of the pieces of a prompt.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; ``PromptDeadlinePassed``.
    package func tokens(of segments: [TextSegment], _ deadline: ContinuousClock.Instant?) throws -> [TokenID] {
        let tokens = tokenizer.encode(segments, reserving: reserved) {
            !Task.isCancelled && deadline.map { ContinuousClock.now < $0 } ?? true
        }
        if let tokens { return tokens }
        if Task.isCancelled { throw CancellationError() }
        throw PromptDeadlinePassed()
    }

    /// Renders the messages in the form that the template accepts. If it still refuses them, they are reduced to turns
    /// that every template can render.
    private func segments(
        of prompt: PreparedPrompt, _ markers: ImageMarkers?, _ format: FunctionCallFormat, continues: Bool,
        _ deadline: ContinuousClock.Instant?
    ) throws -> [TextSegment] {
        let writer = TemplateMessageWriter(
            takesCalls: functionCalls.takesFunctions, takesReasoning: takesReasoning,
            writesHeaders: !reasoningTags.answer.isEmpty, markers: markers)
        var context = prompt.variables
        context["add_generation_prompt"] = .bool(!continues)
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

    /// The segments of a conversation without what the template writes after the text of the last message, so that the
    /// model goes on with it.
    private static func cut(_ segments: [TextSegment], afterTextOf message: ChatMessage?) throws -> [TextSegment] {
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
        let text = trimmed(message?.text ?? "")
        guard message?.role == .assistant, !text.isEmpty else {
            throw ConversationError(
                .invalidInput, "Only a last message of the assistant that has text can be continued.")
        }
        // A template may write the text in several segments, and trim it.
        var end = segments.endIndex
        var written = ""
        while end > segments.startIndex, segments[end - 1].origin == .template { end -= 1 }
        for segment in segments[..<end].reversed() where segment.origin != .template {
            written = segment.text + written
            if written.utf8.count >= text.utf8.count { break }
        }
        guard trimmed(written).hasSuffix(text) else {
            throw ConversationError(
                .invalidInput, "The model's chat template changes the last message, so that it cannot be continued.")
        }
        return Array(segments[..<end])
    }

    private static let silence = ConversationError(
        .generationFailed,
        "The chat template writes nothing for these messages, so there is no prompt. Load the model with another template."
    )

    /// The errors with which a template refuses messages that it does not support.
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

    /// The tokenizer's values that templates expect; they count as text written by the template.
    package static func constants(of tokenizer: Tokenizer) -> JSONObject {
        func spelling(_ id: TokenID?) -> JSONValue { .string(id.flatMap { tokenizer.spelling(of: $0) } ?? "") }
        return ["bos_token": spelling(tokenizer.beginningOfText), "eos_token": spelling(tokenizer.endOfText)]
    }

    /// The format that most models without a template were trained on.
    private static let chatML = """
        {% for message in messages %}<|im_start|>{{ message.role }}
        {{ message.content }}<|im_end|>
        {% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
        {% endif %}
        """
}

/// The error if building the prompt takes longer than the reply's timeout.
package struct PromptDeadlinePassed: Error {}

/// A prompt that is ready to run.
package struct RenderedPrompt: Sendable {
    /// The tokens of the prompt, and the embeddings of its images.
    package var input: ModelInput
    /// The input of the template, and a record of how it was made.
    package var prepared: PreparedPrompt
    /// Whether the prompt ends inside reasoning, because the template has written the opening tag.
    package var startsInsideReasoning: Bool
    /// Whether it is a text to continue, in whose continuation neither reasoning nor calls are recognised.
    var isRaw = false
    /// Whether the probabilities of its tokens are wanted.
    var isScored = false
}

extension ChatMessage {
    fileprivate var images: [Data] {
        content.compactMap { if case .image(let bytes) = $0 { bytes } else { nil } }
    }
}
