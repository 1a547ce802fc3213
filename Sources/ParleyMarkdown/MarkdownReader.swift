// SPDX-License-Identifier: Apache-2.0

/// Reads Markdown that grows, such as a reply while it is written, into typed blocks.
///
/// It reads CommonMark 0.31, and of GitHub Flavored Markdown tables, strike-through, tasks and bare addresses. Text that
/// has been read into a settled block is not looked at again, and any text takes time that is linear in its length. There
/// is no HTML in the result: what looks like a tag is there as text, marked as such.
///
/// Blocks lie at most 100 within each other and marks of text 64; what goes deeper is text.
public struct MarkdownReader: Sendable {
    private var parser = BlockParser()
    /// The settled blocks whose links have labels that were not defined when they were read, with their places.
    private var waiting: [(place: Int, tree: BlockTree)] = []
    /// The beginning of a line whose end has not come.
    private var line: [UInt8] = []
    private var endsWithReturn = false
    private var isFinished = false

    /// The blocks that do not change any more, until ``finish()``: others follow them.
    public private(set) var settled: [MarkdownBlock] = []

    /// Creates a reader of an empty document.
    public init() {}

    /// Reads a whole document.
    public static func blocks(of text: String) -> [MarkdownBlock] {
        var reader = MarkdownReader()
        reader.append(text)
        reader.finish()
        return reader.settled
    }

    /// Adds text at the end. How it is cut into pieces makes no difference.
    ///
    /// - Parameter text: the text; ignored after ``finish()``.
    public mutating func append(_ text: String) {
        guard !isFinished else { return }
        for byte in text.utf8 {
            parser.definitions.documentSize += 1
            if byte == 0x0A, endsWithReturn {
                endsWithReturn = false
                continue
            }
            endsWithReturn = byte == 0x0D
            switch byte {
            case 0x0A, 0x0D:
                parser.read(line)
                line = []
            // As CommonMark wants it, for this byte is dangerous in other places.
            case 0: line += "\u{FFFD}".utf8
            default: line.append(byte)
            }
        }
        settle()
    }

    /// Ends the document: all blocks are settled. A link may have been written before its label was defined; only then
    /// blocks change that were settled before.
    public mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        if !line.isEmpty { parser.read(line) }
        line = []
        parser.finish()
        settle()
        guard !parser.definitions.isEmpty else { return }
        for (place, tree) in waiting {
            var tree = tree
            tree.readMissingLabels(&parser.definitions)
            if let block = tree.blocks.first { settled[place] = block }
        }
        waiting = []
    }

    /// The blocks behind the settled ones, as they are if nothing follows.
    public var tail: [MarkdownBlock] {
        guard !isFinished else { return [] }
        var parser = parser
        if !line.isEmpty { parser.read(line) }
        parser.finish()
        return parser.tree.blocks
    }

    private mutating func settle() {
        for tree in parser.takeClosed() {
            guard let block = tree.blocks.first else { continue }
            if tree.missesLabels { waiting.append((settled.count, tree)) }
            settled.append(block)
        }
    }
}
