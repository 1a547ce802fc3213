// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyMarkdown

/// A text that grows, as blocks of which only those that may still change are sent again.
struct GrowingBlocks: Sendable {
    private var reader = MarkdownReader()
    /// The number of blocks that have been sent for good.
    private var frozen = 0
    /// The whole text.
    private(set) var text = ""

    /// Begins with a text, of which nothing has been sent.
    init(_ text: String = "") { append(text) }

    /// Adds text at the end.
    mutating func append(_ more: String) {
        text += more
        reader.append(more)
    }

    /// The blocks so far.
    var blocks: [MarkdownBlock] { reader.settled + reader.tail }

    /// Blocks that the page does not have for good, and the place of the first.
    struct News: Sendable {
        var from: Int
        var blocks: [MarkdownBlock]
    }

    /// What the page does not have for good; it counts as sent then.
    mutating func news() -> News {
        let from = frozen
        frozen = reader.settled.count
        return News(from: from, blocks: reader.settled[from...] + reader.tail)
    }
}
