// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTokenizer

/// The text of a reply: converts tokens to characters and divides the text into parts.
///
/// Control tokens have no text, except the tags that the router recognises. If a stop string contains control tokens,
/// they are represented in the text by marks where stop strings are searched for; the marks are removed from the text
/// that is shown.
struct ReplyText: Sendable {
    private let tokenizer: Tokenizer
    /// The control tokens in the recognised tags, with their text.
    private let tags: [TokenID: String]
    private let stops: StopStrings
    private var detokenizer: StreamingDetokenizer
    private var router: ResponseRouter
    private var parts: [ResponsePart] = []

    /// Creates the empty text of a reply, with the router's configuration.
    init(_ tokenizer: Tokenizer, _ configuration: ResponseRouter.Configuration) {
        self.tokenizer = tokenizer
        let reasoning = configuration.reasoning ?? .think
        let shown = [reasoning.opening, reasoning.closing] + (configuration.functionCalls?.tags ?? [])
        tags = Dictionary(shown.flatMap { Self.controlTokens(of: $0, tokenizer) }) { first, _ in first }
        stops = StopStrings(configuration.stop, tokenizer: tokenizer)
        detokenizer = StreamingDetokenizer(tokenizer, startsText: false)
        var configuration = configuration
        configuration.stop = stops.strings
        router = ResponseRouter(configuration)
    }

    /// The control tokens of a tag, which may be the tag or a part of it, as in `<|channel>thought`.
    private static func controlTokens(of tag: String, _ tokenizer: Tokenizer) -> [(TokenID, String)] {
        let whole = tokenizer.id(ofSpelling: tag).map { [$0] }
        let tokens = whole ?? tokenizer.encode([TextSegment(tag, origin: .template)])
        return tokens.filter(tokenizer.isControl).compactMap { token in
            // A token for what the vocabulary lacks spells something else.
            tokenizer.spelling(of: token).flatMap { tag.utf8.contains($0.utf8) ? (token, $0) : nil }
        }
    }

    /// Whether the reply is currently inside reasoning.
    var isReasoning: Bool { router.isReasoning }

    /// Whether a stop string has been found.
    var hasStopped: Bool { router.hasStopped }

    /// The stop string that has been found, as it was given; nil if none was.
    var stopString: String? { router.stopString.map(stops.given) }

    /// Whether the token that was appended last completed a tag that is left out of the answer.
    var hasHiddenTag: Bool { router.hasHiddenTag }

    /// Whether what comes now belongs to the answer, and not to reasoning or a function call.
    var isAnswer: Bool { !router.isReasoning && !router.isInsideFunctionCall }

    /// How many bytes the token that was appended last adds to the text: white space after a tag and control tokens without
    /// text add none.
    func addedBytes(of token: TokenID) -> Int {
        (tags[token]?.utf8.count ?? tokenizer.bytes(of: token).count) - router.droppedBytes
    }

    /// The tokens that must come next because the token budget of reasoning is used up; otherwise none.
    var reasoningClosing: [TokenID] {
        router.reasoningClosing.map { tokenizer.encode([TextSegment($0, origin: .template)]) } ?? []
    }

    /// Appends a token of the reply.
    mutating func append(_ token: TokenID) {
        let stopsCount = !router.isReasoning && !router.isInsideFunctionCall
        let shown = tags[token] ?? (stopsCount ? stops.mark(for: token) : nil)
        parts += router.append(shown.map { detokenizer.finish() + $0 } ?? detokenizer.append(token))
    }

    /// Removes and returns the parts completed since the last call.
    mutating func takeParts() -> [ResponsePart] {
        defer { parts = [] }
        return parts.map(withoutMarks).filter { $0 != .text("") }
    }

    /// Ends the reply.
    ///
    /// - Returns: the remaining parts, the raw text, and the number of reasoning tokens.
    mutating func finish(
        _ reason: FinishReason
    ) -> (parts: [ResponsePart], rawOutput: String, reasoningTokens: Int) {
        // The reply may end within a multi-byte character.
        parts += router.append(detokenizer.finish(), tokens: 0)
        parts += router.finish(reason)
        return (takeParts(), stops.withoutMarks(router.rawOutput), router.reasoningTokens)
    }

    private func withoutMarks(_ part: ResponsePart) -> ResponsePart {
        switch part {
        case .text(let text): .text(stops.withoutMarks(text))
        case .reasoning(let text): .reasoning(stops.withoutMarks(text))
        case .rejectedFunctionCall(let it):
            .rejectedFunctionCall(.init(text: stops.withoutMarks(it.text), reason: it.reason, message: it.message))
        default: part
        }
    }
}
