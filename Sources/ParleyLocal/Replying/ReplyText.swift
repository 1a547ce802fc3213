// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTokenizer

/// The text of a reply: tokens to characters, and characters sorted into parts.
///
/// Control tokens have no text, except the tags that the router looks for; those that stop strings name stand as marks
/// where stop strings count, and what is shown is freed of marks.
struct ReplyText: Sendable {
    private let tokenizer: Tokenizer
    /// The tags that are control tokens.
    private let tags: [TokenID: String]
    private let stops: StopStrings
    private var detokenizer: StreamingDetokenizer
    private var router: ResponseRouter
    private var parts: [ResponsePart] = []

    /// - Parameter configuration: what the router looks for.
    init(_ tokenizer: Tokenizer, _ configuration: ResponseRouter.Configuration) {
        self.tokenizer = tokenizer
        let reasoning = configuration.reasoning ?? .think
        let shown = [reasoning.opening, reasoning.closing] + (configuration.functionCalls?.tags ?? [])
        let known = shown.compactMap { tag in tokenizer.id(ofSpelling: tag).map { ($0, tag) } }
        tags = Dictionary(known.filter { tokenizer.isControl($0.0) }) { first, _ in first }
        stops = StopStrings(configuration.stop, tokenizer: tokenizer)
        detokenizer = StreamingDetokenizer(tokenizer, startsText: false)
        var configuration = configuration
        configuration.stop = stops.strings
        router = ResponseRouter(configuration)
    }

    /// Whether the reply is inside reasoning now.
    var isReasoning: Bool { router.isReasoning }

    /// Whether a stop string came.
    var hasStopped: Bool { router.hasStopped }

    /// What has to come next because the budget of reasoning is spent; nothing where it is not.
    var reasoningClosing: [TokenID] {
        router.reasoningClosing.map { tokenizer.encode([TextSegment($0, origin: .template)]) } ?? []
    }

    /// Takes a token of the reply.
    mutating func append(_ token: TokenID) {
        let stopsCount = !router.isReasoning && !router.isInsideFunctionCall
        let shown = tags[token] ?? (stopsCount ? stops.mark(for: token) : nil)
        parts += router.append(shown.map { detokenizer.finish() + $0 } ?? detokenizer.append(token))
    }

    /// The parts that have come since this was last asked.
    mutating func takeParts() -> [ResponsePart] {
        defer { parts = [] }
        return parts.map(withoutMarks).filter { $0 != .text("") }
    }

    /// Ends the reply.
    ///
    /// - Returns: what was held back, the text as the model wrote it, and how many tokens were reasoning.
    mutating func finish(
        _ reason: FinishReason
    ) -> (parts: [ResponsePart], rawOutput: String, reasoningTokens: Int) {
        // What waits for bytes that will not come.
        parts += router.append(detokenizer.finish(), tokens: 0)
        parts += router.finish(reason)
        return (takeParts(), stops.withoutMarks(router.rawOutput), router.reasoningTokens)
    }

    private func withoutMarks(_ part: ResponsePart) -> ResponsePart {
        switch part {
        case .text(let text): .text(stops.withoutMarks(text))
        case .reasoning(let text): .reasoning(stops.withoutMarks(text))
        default: part
        }
    }
}
