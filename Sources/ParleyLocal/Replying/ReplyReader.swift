// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTokenizer

/// Turns the tokens of a reply into the text that a router reads. Control tokens have no text, except the tags that the
/// router looks for.
struct ReplyReader: Sendable {
    private let tags: [TokenID: String]
    private var detokenizer: StreamingDetokenizer

    init(_ tokenizer: Tokenizer, showing tags: [String]) {
        let known = tags.compactMap { tag in tokenizer.id(ofSpelling: tag).map { ($0, tag) } }
        self.tags = Dictionary(known.filter { tokenizer.isControl($0.0) }) { first, _ in first }
        detokenizer = StreamingDetokenizer(tokenizer, startsText: false)
    }

    /// The whole characters that a token completes.
    mutating func append(_ token: TokenID) -> String {
        guard let tag = tags[token] else { return detokenizer.append(token) }
        return detokenizer.finish() + tag
    }

    /// What waits for bytes that will not come.
    mutating func finish() -> String {
        detokenizer.finish()
    }
}
