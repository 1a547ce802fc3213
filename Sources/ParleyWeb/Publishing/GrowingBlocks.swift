// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyMarkdown

/// A text that grows, as blocks of which only what is new is told.
struct GrowingBlocks: Sendable {
    private var reader = MarkdownReader()
    /// The number of blocks that have been told for good.
    private var frozen = 0
    /// The blocks behind them, as they were told last.
    private var told: [JSONValue] = []
    /// The whole text.
    private(set) var text = ""

    /// Begins with a text, of which nothing has been told.
    init(_ text: String = "") { append(text) }

    /// Adds text at the end.
    mutating func append(_ more: String) {
        text += more
        reader.append(more)
    }

    /// The blocks so far.
    var blocks: [MarkdownBlock] { reader.settled + reader.tail }

    /// What the page does not have, as ``BlockGrowth`` tells it; it counts as told then.
    mutating func news() -> JSONObject {
        let blocks: [MarkdownBlock] = reader.settled[frozen...] + reader.tail
        let now = blocks.map { BlockForm.json($0) }
        let news = BlockGrowth.end("blocks", of: now, since: told, from: frozen)
        told = Array(now.dropFirst(reader.settled.count - frozen))
        frozen = reader.settled.count
        return news
    }
}
