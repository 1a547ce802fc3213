// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyRuntime
import ParleyTokenizer

/// Turns the tokens of a reply into the text that a router reads. Control tokens have no text, except the tags that the
/// router looks for; those that stop strings name stand as marks where stop strings count.
struct ReplyReader: Sendable {
    private let tags: [TokenID: String]
    private let stops: StopStrings
    private var detokenizer: StreamingDetokenizer

    init(_ tokenizer: Tokenizer, showing tags: [String], stops: StopStrings) {
        self.stops = stops
        let known = tags.compactMap { tag in tokenizer.id(ofSpelling: tag).map { ($0, tag) } }
        self.tags = Dictionary(known.filter { tokenizer.isControl($0.0) }) { first, _ in first }
        detokenizer = StreamingDetokenizer(tokenizer, startsText: false)
    }

    /// The whole characters that a token completes.
    ///
    /// - Parameter marking: whether stop strings count here.
    mutating func append(_ token: TokenID, marking: Bool) -> String {
        guard let shown = tags[token] ?? (marking ? stops.mark(for: token) : nil) else {
            return detokenizer.append(token)
        }
        return detokenizer.finish() + shown
    }

    /// What waits for bytes that will not come.
    mutating func finish() -> String {
        detokenizer.finish()
    }

    /// A part as it is shown: without marks.
    func shown(_ part: ResponsePart) -> ResponsePart {
        switch part {
        case .text(let text): .text(stops.withoutMarks(text))
        case .reasoning(let text): .reasoning(stops.withoutMarks(text))
        default: part
        }
    }

    /// The raw output as it is shown: without marks.
    func shown(_ rawOutput: String) -> String { stops.withoutMarks(rawOutput) }
}
