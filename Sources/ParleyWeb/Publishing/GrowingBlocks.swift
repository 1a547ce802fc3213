// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyMarkdown

/// A text that grows, as blocks of which only those that may still change are sent again.
struct GrowingBlocks: Sendable {
    private var reader = MarkdownReader()
    /// The number of blocks that have been sent for good.
    private var frozen = 0
    /// The first block that has not been sent for good, as it was sent last.
    private var sent: MarkdownBlock?
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
        /// The blocks from there on; with ``codeAppended`` those behind the first.
        var blocks: [MarkdownBlock]
        /// What the page has not got of the first block, where that is code which goes on: behind all that was sent but the
        /// end of its last line, which had not come then.
        var codeAppended: String?
    }

    /// What the page does not have for good; it counts as sent then.
    ///
    /// Code is told by what is new, or its beginning would be sent again with every word of it.
    mutating func news() -> News {
        let from = frozen
        frozen = reader.settled.count
        var news = News(from: from, blocks: reader.settled[from...] + reader.tail)
        let place = frozen - from
        let unfinished = news.blocks.indices.contains(place) ? news.blocks[place] : nil
        if let sent, let first = news.blocks.first, let more = first.code(after: sent) {
            news.codeAppended = more
            news.blocks.removeFirst()
        }
        sent = unfinished
        return news
    }
}

extension MarkdownBlock {
    /// How the code of a block goes on, of which it is a later state; nil for all else.
    fileprivate func code(after sent: MarkdownBlock) -> String? {
        guard id == sent.id, case .code(let info, let text) = kind,
            case .code(let knownInfo, let known) = sent.kind, knownInfo == info
        else { return nil }
        let start = known.utf8.dropLast(known.utf8.last == 0x0A ? 1 : 0)
        guard text.utf8.starts(with: start) else { return nil }
        return String(decoding: text.utf8.dropFirst(start.count), as: UTF8.self)
    }
}
